package dev.holdfast.lock.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.proxy.FaultProxy.Direction;
import dev.holdfast.lock.proxy.FaultProxy.Then;
import dev.holdfast.lock.proxy.Strike;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.fixture.ClientOwner;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.ScriptTraffic;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Commands that are executed without an answer, executed late, or never sent, with a Lettuce client of our own and with one of an application. */
@Timeout(Await.TEST_SECONDS)
class LostCommandsTest {

    private static final int LOCKS = 50;
    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final AcquireOptions PATIENT = AcquireOptions.defaults().waitAtMost(Await.PATIENCE);

    private final RedisServer server = RedisServer.shared();

    @AutoClose
    private final FaultProxy proxy = FaultProxy.to(server.port());

    private final ScriptTraffic traffic = new ScriptTraffic(proxy);
    private final RecordingListener listener = new RecordingListener();
    private final String name = "lost-" + UUID.randomUUID() + "-";

    private LockClient client(ClientOwner.Opened clientOwner, Duration commandTimeout) {
        return RedisLockClient.builder(clientOwner.source())
                .checkAtStart(false)
                .commandTimeout(commandTimeout)
                .listener(listener)
                .build();
    }

    private void assertEachWasGrantedOnce() {
        assertThat(traffic.revived())
                .as("acquisitions sent after their release")
                .isEmpty();
        listener.assertNoTokenTwice();
        assertThat(listener.losses).isEmpty();
    }

    private void awaitGone(String key) {
        Await.until("no key is left", TwoClients.PATIENCE, () -> server.cli().exists(key) == 0);
    }

    static Stream<Arguments> ways() {
        return Stream.of(ClientOwner.values())
                .flatMap(clientOwner ->
                        Stream.of(Then.CLOSE, Then.STAY_SILENT).map(then -> Arguments.of(clientOwner, then)));
    }

    // Granted, and the reply is lost

    @ParameterizedTest
    @MethodSource("ways")
    void acquisitionIsGrantedOnceWithinItsBudget(ClientOwner clientOwner, Then then) {
        try (ClientOwner.Opened opened = clientOwner.to(proxy.uri());
                LockClient client = client(opened, TIMEOUT)) {
            // A silence costs a command timeout each time.
            int rounds = then == Then.STAY_SILENT ? 3 : 10;
            for (int i = 0; i < rounds; i++) {
                String key = name + i;
                Strike swallowed = proxy.swallowReplyOf(ScriptTraffic.acquisitionOf(key), then);
                Lease lease = client.getLock(key).acquire(PATIENT);
                assertThat(swallowed.hasStruck()).isTrue();
                Map<String, String> hash = server.cli().hgetall(key);
                assertThat(hash)
                        .hasSize(3)
                        .containsEntry("holdfast:token", Long.toString(lease.fencingToken()))
                        .containsValue("1");
                lease.close();
                // A release whose answer takes longer than a command is repeated in the background.
                awaitGone(key);
            }
            assertEachWasGrantedOnce();
        }
    }

    // Many granted, and the connection breaks

    @ParameterizedTest
    @EnumSource
    void everyCallerGetsItsLockOnceAndExcludesAllOthers(ClientOwner clientOwner) {
        try (ClientOwner.Opened opened = clientOwner.to(proxy.uri());
                LockClient client = client(opened, Duration.ofSeconds(2));
                LockClient competitor = Waits.client(server).build()) {
            client.getLock(name).tryAcquire().orElseThrow().close();
            for (int round = 0; round < 6; round++) {
                breakAmidAcquisitions(client, competitor, round % 2 == 0);
            }
            assertEachWasGrantedOnce();
        }
    }

    private void breakAmidAcquisitions(LockClient client, LockClient competitor, boolean reset) {
        proxy.holdBack(Direction.TO_CLIENT);
        List<CompletableFuture<Lease>> acquiring = acquiring(client, 0);
        Await.until(
                "all are granted, unanswered",
                Await.PATIENCE,
                () -> server.cli().exists(names()) == LOCKS);
        if (reset) {
            proxy.resetConnections();
        } else {
            proxy.closeConnections();
        }
        proxy.heal();
        traffic.watch();
        List<Lease> leases = acquiring.stream().map(CompletableFuture::join).toList();
        assertThat(leases).allMatch(Lease::isHeld);
        for (int i = 0; i < LOCKS; i++) {
            assertThat(competitor.getLock(name + i).tryAcquire())
                    .as("a second holder")
                    .isEmpty();
            assertThat(server.cli().hget(name + i, "holdfast:token"))
                    .isEqualTo(Long.toString(leases.get(i).fencingToken()));
        }
        leases.forEach(Lease::close);
        assertThat(server.cli().exists(names())).as("keys left").isZero();
    }

    private List<CompletableFuture<Lease>> acquiring(LockClient client, int first) {
        return IntStream.range(first, LOCKS)
                .mapToObj(i -> client.getLock(name + i).acquireAsync(PATIENT).toCompletableFuture())
                .toList();
    }

    private String[] names() {
        return IntStream.range(0, LOCKS).mapToObj(i -> name + i).toArray(String[]::new);
    }

    /** It was replaced because one answer did not come, and stays open for a while: others may yet come. */
    @ParameterizedTest
    @EnumSource
    void replacedConnectionThatBreaksSendsNothingAgain(ClientOwner clientOwner) {
        Duration timeout = Duration.ofSeconds(2);
        try (ClientOwner.Opened opened = clientOwner.to(proxy.uri());
                LockClient client = client(opened, timeout)) {
            client.getLock(name).tryAcquire().orElseThrow().close();
            proxy.swallowReplyOf(ScriptTraffic.acquisitionOf(name + 0), Then.STAY_SILENT);
            List<CompletableFuture<Lease>> acquiring = new ArrayList<>();
            acquiring.add(client.getLock(name + 0).acquireAsync(PATIENT).toCompletableFuture());
            // So that the others are still waited for when the first is given up.
            Pause.of(timeout.dividedBy(2));
            acquiring.addAll(acquiring(client, 1));
            // Of other locks each time: those who ask for one wait for the answer that does not come.
            AtomicInteger probes = new AtomicInteger();
            Await.until(
                    "the next connection answers",
                    Await.PATIENCE,
                    () -> client.getLock(name + "probe-" + probes.incrementAndGet())
                            .tryAcquireAsync(AcquireOptions.defaults())
                            .toCompletableFuture()
                            .get(500, TimeUnit.MILLISECONDS)
                            .isPresent());
            proxy.resetConnections();
            acquiring.forEach(acquired -> acquired.join().close());
            assertEachWasGrantedOnce();
        }
        assertThat(server.cli().exists(names())).as("keys left").isZero();
    }

    // Executed when nobody waits for it any more

    private void awaitService(LockClient client) {
        Await.until("locks work", Await.PATIENCE, () -> {
            try (Lease lease = client.getLock(name + "probe").acquire()) {
                return lease.isHeld();
            }
        });
    }

    // Never sent

    @ParameterizedTest
    @EnumSource
    void requestsWithoutAConnectionAreRefusedAndNeverArrive(ClientOwner clientOwner) {
        try (ClientOwner.Opened opened = clientOwner.to(proxy.uri());
                LockClient client = client(opened, Duration.ofSeconds(2))) {
            client.getLock(name).acquire().close();
            proxy.refuseConnections();
            proxy.resetConnections();
            // What left before the break was noticed is taken back: releases may come, an acquisition never.
            assertTriesAreRefusedAndNeverArrive(client);
        }
    }

    @ParameterizedTest
    @EnumSource
    void requestsThatWereNotSentAreNotTakenBack(ClientOwner clientOwner) {
        Strike silence = proxy.blackHole();
        try (ClientOwner.Opened opened = clientOwner.to(proxy.uri());
                LockClient client = client(opened, TIMEOUT)) {
            silence.await();
            assertThat(assertTriesAreRefusedAndNeverArrive(client).releases())
                    .as("releases that arrived")
                    .isEqualTo(1);
        }
    }

    private ScriptTraffic assertTriesAreRefusedAndNeverArrive(LockClient client) {
        assertThat(IntStream.range(0, LOCKS)
                        .mapToObj(i -> client.getLock(name + i)
                                .tryAcquireAsync(AcquireOptions.defaults())
                                .toCompletableFuture())
                        .toList())
                .allSatisfy(each -> assertThat(each)
                        .failsWithin(Duration.ofSeconds(20))
                        .withThrowableThat()
                        .withCauseInstanceOf(LockUnavailableException.class));
        proxy.heal();
        ScriptTraffic later = new ScriptTraffic(proxy);
        awaitService(client);
        assertThat(later.acquisitions()).as("acquisitions that arrived").isEqualTo(1);
        assertThat(client.heldLocks()).isEmpty();
        return later;
    }
}
