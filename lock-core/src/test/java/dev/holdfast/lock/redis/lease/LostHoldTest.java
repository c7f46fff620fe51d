package dev.holdfast.lock.redis.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LeaseReadWriteLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.composite.MultiLock;
import dev.holdfast.lock.redis.fixture.CriticalSection;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A hold whose lease is over affects its thread's later calls only in that its unlock reports the loss. */
@Timeout(Await.TEST_SECONDS)
class LostHoldTest {

    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Duration PATIENCE = Await.PATIENCE;

    private final String name = "lost-hold-" + UUID.randomUUID() + "-";

    @AutoClose
    private final LockClient client = Waits.client(RedisServer.shared()).build();

    private List<LeaseLock> locks() {
        return List.of(
                client.getLock(name + "plain"),
                client.getLock(name + "fair", LockKind.FAIR),
                client.getLock(name + "write", LockKind.WRITE),
                client.getLock(name + "read", LockKind.READ),
                client.getMultiLock(List.of(name + "one", name + "two")),
                MultiLock.of(List.of(client.getLock(name + "a"), client.getLock(name + "b"))));
    }

    /** Locks that this thread has held twice, until their leases expired. */
    private List<LeaseLock> expired() {
        List<LeaseLock> locks = locks();
        for (int hold = 0; hold < 2; hold++) {
            locks.forEach(lock -> lock.lock(SHORT));
        }
        locks.forEach(LostHoldTest::expire);
        return locks;
    }

    private static void expire(LeaseLock lock) {
        Await.until("expired", PATIENCE, () -> !lock.isHeldByCurrentThread());
    }

    private static void assertLostOnce(LeaseLock lock) {
        assertThatThrownBy(lock::unlock).as("%s", lock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::unlock)
                .as("%s", lock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .isNotInstanceOf(LeaseLostException.class);
    }

    @Test
    void poolThreadThatNeverUnlocksTriesAgainAndAgain() {
        for (int i = 0; i < 3; i++) {
            // Redis may keep the key a twentieth of the lease longer than the client relies on it.
            locks().forEach(lock ->
                    Await.until(lock + " is acquired", PATIENCE, () -> lock.tryLock(Duration.ZERO, SHORT)));
            locks().forEach(LostHoldTest::expire);
        }
    }

    @Test
    void unlocksPairFromTheInsideOut() {
        expired().forEach(lock -> {
            lock.lock();
            lock.lock();
            assertThat(lock.holdCount()).as("%s", lock).isEqualTo(2);
            lock.unlock();
            lock.unlock();

            assertThat(client.heldLocks()).as("%s", lock).isEmpty();
            assertThatThrownBy(lock::fencingToken).as("%s", lock).isInstanceOf(LeaseLostException.class);
            assertThatThrownBy(lock::unlock).as("%s", lock).isInstanceOf(LeaseLostException.class);
            assertLostOnce(lock);
        });
    }

    @Test
    void expiredReadHoldKeepsItsThreadNotFromWriting() throws Exception {
        LeaseReadWriteLock lock = client.getReadWriteLock(name);
        lock.readLock().lock(SHORT);
        expire(lock.readLock());
        Await.until("written", PATIENCE, () -> lock.writeLock().tryLock());
        lock.writeLock().unlock();
        assertThat(lock.writeLock().tryLock(PATIENCE)).isTrue();
        lock.writeLock().unlock();
        assertThatThrownBy(() -> lock.readLock().unlock()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void expiredWriteHoldDoesNotMakeAReaderOfItsThread() {
        LeaseReadWriteLock lock = client.getReadWriteLock(name);
        lock.writeLock().lock(SHORT);
        expire(lock.writeLock());
        lock.readLock().lock();
        assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
        lock.readLock().unlock();
        assertThatThrownBy(() -> lock.writeLock().unlock()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void unlockThatMeetsTheLossIsToldOfIt() throws Exception {
        CountDownLatch losing = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        // The clock is the one thing that is asked between the end of the lease and the word about it.
        LongSupplier clock = () -> {
            if (StackWalker.getInstance()
                    .walk(frames ->
                            frames.anyMatch(frame -> frame.getMethodName().equals("reportLoss")))) {
                losing.countDown();
                await(goOn);
            }
            return System.nanoTime();
        };
        try (LockClient own = Waits.client(RedisServer.shared()).clock(clock).build()) {
            Lease lease = own.getLock(name).acquire(AcquireOptions.defaults().lease(SHORT));
            losing.await();
            CompletableFuture<Throwable> closing =
                    CompletableFuture.supplyAsync(() -> catchThrowable(lease::close), CriticalSection::onThread);
            // Until then the release has nothing to say.
            CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS).execute(goOn::countDown);

            assertThat(closing.get()).isInstanceOf(LeaseLostException.class);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
