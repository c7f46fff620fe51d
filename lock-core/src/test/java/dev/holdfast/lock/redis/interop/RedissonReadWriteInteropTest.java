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

    /** As short for the tests that outlast a lease. */
    private static final Duration BRIEF = Duration.ofSeconds(3);

    private static RedissonClient redisson;
    private static RedissonClient briefRedisson;
    private static LockClient ours;
    private static LockClient briefOurs;

    private final ScriptedThread theirs = new ScriptedThread();
    private final String name = "interop-" + UUID.randomUUID();
    private RLock theirRead;
    private RLock theirWrite;
    private LeaseLock ourRead;
    private LeaseLock ourWrite;

    @BeforeAll
    static void open() {
        redisson = redisson(WATCHDOG);
        briefRedisson = redisson(BRIEF);
        ours = ours(WATCHDOG);
        briefOurs = ours(BRIEF);
    }

    private static RedissonClient redisson(Duration lease) {
        return Redisson.create(
                RedissonClientFixture.config(RedisServer.shared()).setLockWatchdogTimeout(lease.toMillis()));
    }

    private static LockClient ours(Duration lease) {
        return Waits.client(RedisServer.shared())
                .pollInterval(Duration.ofMinutes(2))
                .watchdogTimeout(lease)
                .build();
    }

    @AfterAll
    static void shut() {
        ours.close();
        briefOurs.close();
        redisson.shutdown(0, 1, TimeUnit.SECONDS);
        briefRedisson.shutdown(0, 1, TimeUnit.SECONDS);
    }

    @BeforeEach
    void locks() {
        locksOf(redisson, ours);
    }

    private void briefLocks() {
        locksOf(briefRedisson, briefOurs);
    }

    private void locksOf(RedissonClient they, LockClient we) {
        theirRead = they.getReadWriteLock(name).readLock();
        theirWrite = they.getReadWriteLock(name).writeLock();
        ourRead = we.getLock(name, LockKind.READ);
        ourWrite = we.getLock(name, LockKind.WRITE);
    }

    @AfterEach
    void dismiss() {
        theirs.close();
        RedisServer.shared().cli().del(name);
    }

    private static void awaitPast(Duration time, long since) {
        Await.until("that much time has gone by", Waits.LONG, () -> Waits.millisSince(since) > time.toMillis());
    }

    // Who keeps whom out

    private void assertNothingIsLeft() {
        // Their note of a release that they may have to repeat lives on for a moment.
        assertThat(RedisServer.shared().cli().keys("*" + name + "*"))
                .allMatch(key -> key.startsWith("redisson_unlock_latch:"));
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
        briefLocks();
        theirRead.lock();
        ourRead.lock(Duration.ofMillis(300));
        long began = System.nanoTime();
        awaitPast(BRIEF, began);

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

    @Test
    void ourWriterGoesOnAsAReaderBesideTheirs() {
        ourWrite.lock();
        ourRead.lock();
        assertThat(theirRead.tryLock()).isFalse();
        ourWrite.unlock();

        assertThat(theirRead.tryLock()).isTrue();
        assertThat(theirWrite.tryLock()).isFalse();
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
        ourRead.unlock();
    }

    // Longer than a lease

    @Test
    void watchdogsOfBothSidesKeepTheirReaders() {
        briefLocks();
        theirRead.lock();
        Lease lease = ourRead.acquire();
        awaitPast(BRIEF.multipliedBy(2), System.nanoTime());

        assertThat(lease.verify()).isTrue();
        assertThat(theirRead.isHeldByCurrentThread()).isTrue();
        assertThat(ours.inspect(name).orElseThrow().holders()).hasSize(2);
        lease.close();
        assertThat(ourWrite.tryLock()).isFalse();
        theirRead.unlock();
        assertNothingIsLeft();
    }
}
