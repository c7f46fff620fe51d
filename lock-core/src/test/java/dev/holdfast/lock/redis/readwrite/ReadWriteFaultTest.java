package dev.holdfast.lock.redis.readwrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.protocol.ReadWriteProtocol;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.FaultProxy.Then;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.RespFrame;
import dev.holdfast.lock.testing.Strike;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Redis does what either side asks, and the reply is lost on its way. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
@Timeout(60)
class ReadWriteFaultTest {

    private final RedisServer server = RedisServer.shared();
    private final FaultProxy proxy = FaultProxy.to(server.port());
    private final RecordingListener listener = new RecordingListener();
    private final String name = "read-write-fault-" + UUID.randomUUID();
    // Only a silent server needs it. On a busy machine an answer takes 150 ms, and then every command is a fault.
    private final LockClient client = Waits.client(proxy)
            .commandTimeout(Duration.ofSeconds(1))
            .listener(listener)
            .build();

    static Stream<Arguments> faults() {
        return Stream.of(LockKind.READ, LockKind.WRITE)
                .flatMap(kind ->
                        Stream.of(Then.CLOSE, Then.RESET, Then.STAY_SILENT).map(then -> Arguments.of(kind, then)));
    }

    @AfterEach
    void close() {
        client.close();
        proxy.close();
    }

    private Predicate<RespFrame> script(String script, String key) {
        Script sent = Script.load(ReadWriteProtocol.class, script);
        return frame -> frame.words().size() > 3
                && (frame.words().get(1).equals(sent.sha())
                        || frame.words().get(1).equals(sent.text()))
                && frame.words().get(3).equals(key);
    }

    private Predicate<RespFrame> acquisition(LockKind kind, String key) {
        return script(kind == LockKind.READ ? "read-acquire" : "write-acquire", key);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void acquisitionIsGrantedOnceWithinItsBudget(LockKind kind, Then then) {
        for (int i = 0; i < (then == Then.STAY_SILENT ? 3 : 10); i++) {
            String key = name + i;
            Strike swallowed = proxy.swallowReplyOf(acquisition(kind, key), then);

            Lease lease =
                    client.getLock(key, kind).acquire(AcquireOptions.defaults().waitAtMost(Duration.ofSeconds(20)));

            assertThat(swallowed.hasStruck()).isTrue();
            Await.until(
                    "the first grant is taken back",
                    TwoClients.PATIENCE,
                    () -> server.cli().hlen(key) == 2);
            Await.until("it is held", TwoClients.PATIENCE, lease::verify);
            lease.close();
            assertThat(server.cli().keys("*" + key + "*")).isEmpty();
        }
        listener.assertNoTokenTwice();
        assertThat(listener.losses).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aSingleTryFailsAndIsTakenBackLongBeforeItsLeaseEnds(LockKind kind, Then then) {
        Strike swallowed = proxy.swallowReplyOf(acquisition(kind, name), then);

        assertThatThrownBy(() -> client.getLock(name, kind).tryLock()).isInstanceOf(LockUnavailableException.class);

        swallowed.await();
        Await.until(
                "the grant is taken back",
                TwoClients.PATIENCE,
                () -> server.cli().keys("*" + name + "*").isEmpty());
        assertThat(client.heldLocks()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("faults")
    void releaseWhoseReplyIsLostIsNoLostLease(LockKind kind, Then then) {
        Lease lease = client.getLock(name, kind).acquire();
        Strike swallowed = proxy.swallowReplyOf(script("rw-release", name), then);

        lease.releaseAsync().toCompletableFuture().join();

        assertThat(swallowed.hasStruck()).isTrue();
        assertThat(server.cli().keys("*" + name + "*")).isEmpty();
        assertThat(listener.losses).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = LockKind.class,
            names = {"READ", "WRITE"})
    void processThatDiesHoldsNothingLongerThanItsLease(LockKind kind) {
        Duration lease = Duration.ofMillis(800);
        try (LockClient dies = Waits.client(proxy).watchdogTimeout(lease).build();
                LockClient lives = Waits.client(server)
                        .pollInterval(Duration.ofMinutes(2))
                        .watchdogTimeout(lease)
                        .build()) {
            dies.getLock(name, kind).acquire();
            long died = System.nanoTime();
            proxy.blackHole();

            lives.getLock(name, LockKind.WRITE)
                    .acquire(AcquireOptions.defaults().waitAtMost(Duration.ofSeconds(20)))
                    .close();

            assertThat(Waits.millisSince(died)).isLessThan(lease.toMillis() + Waits.SOON_MILLIS);
        }
    }
}
