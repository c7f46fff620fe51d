package dev.holdfast.lock.redis.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.redis.fixture.RedissonClientFixture;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** A read/write lock of which some users are on Redisson. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RedissonReadWriteInteropTest {

    /** Both sides' watchdogs renew leases of this length: no waiter wakes because one has ended. */
    private static final Duration WATCHDOG = Duration.ofMinutes(10);

    private static RedissonClient redisson;
    private static LockClient ours;

    private final ScriptedThread theirs = new ScriptedThread();
    private final String name = "interop-" + UUID.randomUUID();
    private RLock theirRead;
    private RLock theirWrite;
    private LeaseLock ourRead;
    private LeaseLock ourWrite;

    @BeforeAll
    static void open() {
        redisson = Redisson.create(
                RedissonClientFixture.config(RedisServer.shared()).setLockWatchdogTimeout(WATCHDOG.toMillis()));
        ours = Waits.client(RedisServer.shared())
                .pollInterval(Duration.ofMinutes(2))
                .watchdogTimeout(WATCHDOG)
                .build();
    }

    @AfterAll
    static void shut() {
        ours.close();
        redisson.shutdown(0, 1, TimeUnit.SECONDS);
    }

    @BeforeEach
    void locks() {
        theirRead = redisson.getReadWriteLock(name).readLock();
        theirWrite = redisson.getReadWriteLock(name).writeLock();
        ourRead = ours.getLock(name, LockKind.READ);
        ourWrite = ours.getLock(name, LockKind.WRITE);
    }

    @AfterEach
    void dismiss() {
        theirs.close();
        RedisServer.shared().cli().del(name);
    }

    // Readers of both

    @Test
    void theirReaderThatLeavesFirstLeavesOursProtected() {
        theirRead.lock();
        Lease lease = ourRead.acquire();
        theirRead.unlock();

        assertThat(theirWrite.tryLock()).isFalse();
        assertThat(ourWrite.tryLock()).isFalse();
        assertThat(lease.verify()).isTrue();
        lease.close();
        assertThat(theirWrite.tryLock()).isTrue();
        theirWrite.unlock();
    }

    @Test
    void ourReaderThatLeavesFirstLeavesTheirsProtected() {
        ourRead.lock();
        theirRead.lock();
        theirRead.lock();
        ourRead.unlock();

        assertThat(ourWrite.tryLock()).isFalse();
        theirRead.unlock();
        assertThat(ourWrite.tryLock()).isFalse();
        theirRead.unlock();
        assertThat(ourWrite.tryLock()).isTrue();
        ourWrite.unlock();
    }

    @Test
    void theirReaderLivesOnPastOurExpiredOne() {
        theirRead.lock();
        ourRead.lock(Duration.ofMillis(300));
        Await.until(
                "ours is over",
                Waits.LONG,
                () -> ours.inspect(name).orElseThrow().holders().size() == 1);

        assertThat(ourRead.isHeldByCurrentThread()).isFalse();
        LockState state = ours.inspect(name).orElseThrow();
        assertThat(state.holders()).singleElement().satisfies(holder -> {
            assertThat(holder.fencingToken()).isEmpty();
            assertThat(holder.holds()).isEqualTo(1);
        });
        theirRead.unlock();
        assertThat(theirWrite.tryLock()).isTrue();
        theirWrite.unlock();
    }

    // Each re-enters on its own side

    @Test
    void theirWriterReadsAsWellAndGoesOnAsAReader() {
        theirWrite.lock();
        theirRead.lock();
        assertThat(ourRead.tryLock()).isFalse();
        theirWrite.unlock();

        assertThat(ourRead.tryLock()).isTrue();
        ourRead.unlock();
        theirRead.unlock();
    }

    // Who wakes whom

    private CompletableFuture<Boolean> theyWait(RLock lock) {
        CompletableFuture<Boolean> granted = theirs.start(() -> lock.tryLock(60, 20, TimeUnit.SECONDS));
        theirs.awaitAsleep();
        return granted;
    }

    private static void assertByMessage(CompletableFuture<Boolean> granted, long since) throws Exception {
        assertThat(ScriptedThread.outcome(granted)).isTrue();
        Waits.assertSoon(since, Duration.ZERO);
    }

    @Test
    void ourWriterWakesAllOfTheirReaders() throws Exception {
        ourWrite.lock();
        var waiting = theyWait(theirRead);
        try (ScriptedThread second = new ScriptedThread()) {
            var too = second.start(() -> theirRead.tryLock(60, 20, TimeUnit.SECONDS));
            second.awaitAsleep();
            long left = System.nanoTime();
            ourWrite.unlock();
            assertByMessage(waiting, left);
            assertByMessage(too, left);
            theirs.run(theirRead::unlock);
            second.run(theirRead::unlock);
        }
    }

    @Test
    void ourWriterThatGoesOnAsAReaderWakesTheirReader() throws Exception {
        ourWrite.lock();
        ourRead.lock();
        var waiting = theyWait(theirRead);
        long left = System.nanoTime();
        ourWrite.unlock();
        assertByMessage(waiting, left);
        theirs.run(theirRead::unlock);
        assertThat(theirWrite.tryLock()).isFalse();
        ourRead.unlock();
    }
}
