package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockStatistics;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.proxy.FaultProxy.Then;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.fixture.ScriptTraffic;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.VirtualClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client's numbers and events, each against what made it. */
@Timeout(Await.TEST_SECONDS)
class EventsAndStatisticsTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    /** For a request that is not answered. */
    private static final Duration BRIEF = Duration.ofSeconds(3);

    private final RedisServer server = RedisServer.shared();
    private final FaultProxy proxy = FaultProxy.to(server.port());
    private final String name = Waits.name("counted");
    private final List<LockEvent> events = new CopyOnWriteArrayList<>();
    private final VirtualClock clock = new VirtualClock();
    private final LockClient client = builder().build();
    private final LockClient other = Waits.client(server).build();

    /** A machine that stands still for seconds costs no lease and no answer, unless the test is about that. */
    private RedisLockClientBuilder builder() {
        return Waits.client(proxy)
                .watchdogTimeout(Duration.ofMinutes(10))
                .commandTimeout(Await.PATIENCE)
                .pollInterval(Duration.ofMillis(250))
                .handOver(32, Duration.ofHours(1))
                .listener(new LockListener() {
                    @Override
                    public void onEvent(LockEvent event) {
                        events.add(event);
                    }
                });
    }

    /** A client whose time passes only as a test says. */
    private LockClient timed() {
        return builder()
                .watchdogTimeout(LEASE)
                .commandTimeout(LEASE.dividedBy(5))
                .clock(clock::now)
                .scheduler(clock.scheduler())
                .build();
    }

    @AfterEach
    void close() {
        proxy.heal();
        client.close();
        other.close();
        proxy.close();
    }

    private LockStatistics now() {
        return client.statistics();
    }

    private void awaitNow(String what, Predicate<LockStatistics> expected) {
        Await.until(what, TwoClients.PATIENCE, () -> expected.test(now()));
    }

    private <E extends LockEvent> E heard(Class<E> kind, int which) {
        Await.until(
                kind.getSimpleName() + " is told",
                TwoClients.PATIENCE,
                () -> events.stream().filter(kind::isInstance).count() > which);
        E event = events.stream()
                .filter(kind::isInstance)
                .map(kind::cast)
                .skip(which)
                .findFirst()
                .orElseThrow();
        assertThat(event.lockName()).isEqualTo(name);
        assertThat(event.kind()).isEqualTo(LockKind.REENTRANT);
        return event;
    }

    @Test
    void acquiredHeldAndWaitingAreCounted() {
        Lease lease = Waits.held(client, name);
        var wanted = Waits.wanted(client, name);
        awaitNow("one waits", stats -> stats.waiting() == 1);
        assertThat(now().acquired()).isEqualTo(1);
        assertThat(now().held()).isEqualTo(1);

        wanted.cancel(false);
        awaitNow("none waits", stats -> stats.waiting() == 0);
        lease.close();
        assertThat(now().held()).isZero();
        assertThat(now().acquired()).isEqualTo(1);
        assertThat(now().busy()).as("who gives up was not refused").isZero();
    }

    /** A holder works until it releases. What Redis takes to answer is no part of that, and would look like two holders at once. */
    @Test
    void timeHeldEndsWhenTheReleaseIsAskedFor() throws Exception {
        long before = System.nanoTime();
        Lease held = Waits.held(client, name);
        proxy.holdBack();
        CompletableFuture<Void> released = held.releaseAsync().toCompletableFuture();
        Duration atMost = Duration.ofNanos(System.nanoTime() - before);
        Thread.sleep(150); // Longer than from the reading of the clock to the grant.
        proxy.heal();
        Waits.get(released);

        assertThat(heard(LockEvent.Released.class, 0).held()).isLessThanOrEqualTo(atMost);
    }

    @Test
    void handOverIsAnAcquisitionToo() {
        Lease first = Waits.held(client, name);
        var second = Waits.wanted(client, name);
        awaitNow("one waits", stats -> stats.waiting() == 1);
        first.close();
        Waits.get(second).close();
        assertThat(now().acquired()).isEqualTo(2);
        assertThat(now().handOvers()).isEqualTo(1);
        assertThat(heard(LockEvent.Acquired.class, 0).takenOver()).isFalse();
        assertThat(heard(LockEvent.Released.class, 0).handedOver()).isTrue();
        assertThat(heard(LockEvent.Acquired.class, 1).takenOver()).isTrue();
        assertThat(heard(LockEvent.Released.class, 1).handedOver()).isFalse();
    }

    @Test
    void busyIsCountedForTriesAndForWaits() {
        Lease held = Waits.held(other, name);
        assertThat(client.getLock(name).tryLock()).isFalse();
        Duration wait = Duration.ofMillis(50);
        assertThat(client.getLock(name).tryAcquire(Waits.waiting(wait))).isEmpty();
        assertThat(now().busy()).isEqualTo(2);
        assertThat(heard(LockEvent.TimedOut.class, 1).waited()).isGreaterThanOrEqualTo(wait);
        assertThat(now().unavailable()).isZero();
        held.close();
    }

    @Test
    void lockThatGoesWithoutAWordIsFoundByPoll() {
        server.cli().hset(name, "elsewhere:1", "1");
        server.cli().pexpire(name, 30_000);
        var wanted = Waits.wanted(client, name);
        // Not before: once it listens it asks once more, and that is no wake-up.
        awaitNow("asked again unbidden", stats -> stats.wakeUpsByPoll() > 0);
        server.cli().del(name);
        Waits.get(wanted).close();
        assertThat(now().wakeUpsBySignal()).isZero();
    }

    @Test
    void outageIsUnavailableAndNotBusy() {
        try (LockClient brief = builder().commandTimeout(BRIEF).build()) {
            Waits.held(brief, name).close();
            proxy.refuseConnections();
            proxy.resetConnections();
            assertThatThrownBy(() -> brief.getLock(name).acquire(Waits.waiting(Duration.ofMillis(100))))
                    .isInstanceOf(LockUnavailableException.class);
            assertThat(brief.statistics().unavailable()).isEqualTo(1);
            assertThat(brief.statistics().busy()).isZero();
        }
    }

    @Test
    void acquisitionWithoutAnAnswerIsATakeBack() {
        try (LockClient brief = builder().commandTimeout(BRIEF).build()) {
            Waits.held(brief, name).close();
            var swallowed = proxy.swallowReplyOf(ScriptTraffic.acquisitionOf(name), Then.STAY_SILENT);
            AcquireOptions once = Waits.waiting(Duration.ZERO).lease(Duration.ofMinutes(1));
            assertThatThrownBy(() -> brief.getLock(name).acquire(once)).isInstanceOf(LockUnavailableException.class);
            assertThat(swallowed.hasStruck()).isTrue();
            assertThat(brief.statistics().takeBacks()).isEqualTo(1);
            assertThat(brief.statistics().unavailable()).isEqualTo(1);
            assertThat(heard(LockEvent.Unavailable.class, 0).problem()).isInstanceOf(LockUnavailableException.class);
            assertThat(heard(LockEvent.TakenBack.class, 0).problem()).hasMessageContaining("no answer");
            assertThat(heard(LockEvent.TakenBack.class, 0).owner()).matches("[-\\w]{22}:\\d+:\\d+");
            // Long before the lease of its request would have ended.
            Await.until(
                    "the lock is free", TwoClients.PATIENCE, () -> server.cli().exists(name) == 0);
        }
    }

    @Test
    void waitThatTheClosingEndsIsNotUnavailable() {
        Lease held = Waits.held(client, name);
        var wanted = Waits.wanted(client, name);
        TwoClients.awaitWaiters(client, name, 1);
        client.close();
        assertThatThrownBy(() -> Waits.get(wanted)).hasCauseInstanceOf(LockUnavailableException.class);
        assertThat(heard(LeaseLoss.class, 0).fencingToken()).isEqualTo(held.fencingToken());
        assertThat(events).noneMatch(LockEvent.Unavailable.class::isInstance);
    }

    @Test
    void outageShowsInFailuresInTheLagAndAtLastInALoss() {
        try (LockClient timed = timed()) {
            Lease lease = Waits.held(timed, name);
            proxy.blackHole();
            awaitWhileTimePasses(
                    timed, "a renewal is overdue", stats -> stats.renewalLag().compareTo(LEASE.dividedBy(9)) > 0);
            awaitWhileTimePasses(timed, "a renewal failed", stats -> stats.renewalFailures() > 0);
            awaitWhileTimePasses(timed, "the lease is lost", stats -> stats.lost() == 1);
            var trouble = heard(LockEvent.RenewalTrouble.class, 0);
            assertThat(trouble.fencingToken()).isEqualTo(lease.fencingToken());
            assertThat(trouble.remaining()).isPositive();
            assertThat(heard(LeaseLoss.class, 0).probableCause()).contains("Redis failed");
            assertThat(timed.statistics().held()).isZero();
            assertThat(timed.statistics().renewalLag())
                    .as("nothing is left to be renewed")
                    .isZero();
            assertThat(lease.isHeld()).isFalse();
            proxy.heal();
        }
    }

    private void awaitWhileTimePasses(LockClient timed, String what, Predicate<LockStatistics> expected) {
        Await.until(what, TwoClients.PATIENCE, () -> {
            clock.advance(LEASE.dividedBy(30));
            return expected.test(timed.statistics());
        });
    }
}
