package dev.holdfast.lock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.proxy.Strike;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a lock costs, as the server counts it. {@code WaitingRoomTest} counts those of hand-overs. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
class RoundTripsTest {

    private static RedisServer server;
    private static LockClient here;
    private static LockClient there;

    private final LeaseLock lock = here.getLock("counted");

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        here = Waits.client(server).build();
        there = Waits.client(server).build();
        // The connections stand and the server knows the scripts.
        there.getLock("counted").lock();
        here.getLock("counted").tryLock();
        there.getLock("counted").unlock();
    }

    @AfterAll
    static void stop() {
        here.close();
        there.close();
        server.close();
    }

    @BeforeEach
    void countAnew() {
        server.resetStats();
    }

    /** What a client can have sent. What scripts call is counted by the server under the commands' own names. */
    private static long roundTrips() {
        Map<String, Long> calls = server.commandStats();
        return calls.getOrDefault("evalsha", 0L)
                + calls.getOrDefault("eval", 0L)
                + calls.getOrDefault("subscribe", 0L)
                + calls.getOrDefault("unsubscribe", 0L)
                + calls.getOrDefault("ping", 0L)
                + calls.getOrDefault("script|load", 0L);
    }

    @Test
    void manyNamesTakeTwoAsOneNameDoes() {
        LeaseLock many = here.getMultiLock(List.of("one", "two", "three"));
        // The server knows the scripts from here on.
        many.acquire().close();
        server.resetStats();

        many.lock();
        assertThat(roundTrips()).isEqualTo(1);
        many.unlock();
        assertThat(roundTrips()).isEqualTo(2);
    }

    /** Redis executes a release and the next acquisition while no answer to either arrives. */
    @Test
    @Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void releaseThatIsNotAwaitedAndTheNextAcquisitionTakeOneTogether() {
        try (FaultProxy proxy = FaultProxy.to(server.port());
                LockClient behind = Waits.client(proxy)
                        .commandTimeout(Duration.ofMinutes(10))
                        .build()) {
            LeaseLock unawaited = behind.getLock("unawaited");
            unawaited.lock();
            long before = unawaited.fencingToken();
            server.resetStats();
            Strike answers = proxy.holdBack(FaultProxy.Direction.TO_CLIENT);

            CompletableFuture<Void> released = unawaited.unlockAsync().toCompletableFuture();
            CompletableFuture<Optional<Lease>> next =
                    unawaited.tryAcquireAsync(AcquireOptions.defaults()).toCompletableFuture();
            answers.await();
            Await.until("Redis has executed both", Await.PATIENCE, () -> roundTrips() == 2);

            assertThat(released).isNotDone();
            assertThat(next).isNotDone();
            proxy.heal();
            assertThat(next.join()).hasValueSatisfying(lease -> {
                assertThat(lease.fencingToken()).isGreaterThan(before);
                lease.close();
            });
            assertThat(released).isCompleted();
        }
    }

    @Test
    void reentryTakesNone() throws Exception {
        lock.lock();
        server.resetStats();
        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(Duration.ofSeconds(1))).isTrue();
        assertThat(lock.tryLock(Duration.ZERO, Duration.ofSeconds(1))).isTrue();
        assertThat(lock.holdCount()).isEqualTo(5);
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.remainingLease()).isPositive();
        for (int i = 0; i < 4; i++) {
            lock.unlock();
        }
        assertThat(roundTrips()).isZero();
        lock.unlock();
    }

    @Test
    void refusedTryTakesOne() throws Exception {
        there.getLock("counted").lock();
        server.resetStats();
        assertThat(lock.tryLock()).isFalse();
        assertThat(roundTrips()).isEqualTo(1);
        assertThat(lock.tryAcquire()).isEmpty();
        assertThat(roundTrips()).isEqualTo(2);
        there.getLock("counted").unlock();
    }

    @Test
    void lookingUpALockTakesNone() {
        assertThat(here.getLock("never-asked-for").holdCount()).isZero();
        assertThat(here.getLock("never-asked-for").isHeldByCurrentThread()).isFalse();
        assertThat(here.heldLocks()).isEmpty();
        assertThat(roundTrips()).isZero();
    }
}
