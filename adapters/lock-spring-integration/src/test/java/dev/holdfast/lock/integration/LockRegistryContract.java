package dev.holdfast.lock.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/** What Spring Integration's reference and the tests of its own registries state of a lock registry. */
interface LockRegistryContract {

    /** One process's registry. */
    LockRegistry<DistributedLock> here();

    /** Another process's registry of the same locks. */
    LockRegistry<DistributedLock> there();

    /** Deletes what Redis has of the lock, as its expiry does. */
    void expire(String key);

    /** For how long Redis keeps the lock, in milliseconds. */
    long timeToLive(String key);

    static String newKey() {
        return "key-" + UUID.randomUUID();
    }

    private static boolean triesElsewhere(Lock lock) {
        return elsewhere(() -> {
            boolean acquired = lock.tryLock();
            if (acquired) {
                lock.unlock();
            }
            return acquired;
        });
    }

    static <T> T elsewhere(Callable<T> work) {
        CompletableFuture<T> done = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        done.complete(work.call());
                    } catch (Throwable e) {
                        done.completeExceptionally(e);
                    }
                })
                .start();
        try {
            return done.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    default void lockExcludesOtherThreadsAndOtherProcesses() {
        String key = newKey();
        Lock lock = here().obtain(key);
        lock.lock();
        try {
            assertThat(triesElsewhere(here().obtain(key))).isFalse();
            assertThat(triesElsewhere(there().obtain(key))).isFalse();
        } finally {
            lock.unlock();
        }
        assertThat(triesElsewhere(here().obtain(key))).isTrue();
        assertThat(triesElsewhere(there().obtain(key))).isTrue();
    }

    @Test
    default void locksOfDifferentKeysAreIndependent() {
        Lock one = here().obtain(newKey());
        Lock other = here().obtain(newKey());
        one.lock();
        assertThat(other).isNotEqualTo(one);
        assertThat(triesElsewhere(other)).isTrue();
        one.unlock();
    }

    @Test
    default void locksOfOneKeyAreOneReentrantLock() throws InterruptedException {
        String key = newKey();
        Lock outer = here().obtain(key);
        outer.lockInterruptibly();
        Lock inner = here().obtain(key);
        assertThat(inner).isEqualTo(outer);
        inner.lockInterruptibly();
        assertThat(inner.tryLock()).isTrue();
        inner.unlock();
        inner.unlock();
        assertThat(triesElsewhere(there().obtain(key))).isFalse();
        outer.unlock();
        assertThat(triesElsewhere(there().obtain(key))).isTrue();
    }

    @Test
    default void tryLockWithWaitGivesUp() throws InterruptedException {
        String key = newKey();
        Lock lock = here().obtain(key);
        lock.lock();
        assertThat(elsewhere(() -> there().obtain(key).tryLock(50, TimeUnit.MILLISECONDS)))
                .isFalse();
        lock.unlock();
    }

    @Test
    default void unlockLetsAWaiterInAnotherProcessIn() throws Exception {
        String key = newKey();
        Lock lock = here().obtain(key);
        lock.lock();
        CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> {
            Lock other = there().obtain(key);
            other.lock();
            other.unlock();
            return true;
        });
        lock.unlock();
        assertThat(waiting.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    @Test
    default void onlyTheHolderUnlocks() {
        Lock lock = here().obtain(newKey());
        lock.lock();
        assertThatThrownBy(() -> elsewhere(() -> {
                    lock.unlock();
                    return null;
                }))
                .rootCause()
                .isInstanceOfAny(IllegalMonitorStateException.class, IllegalStateException.class);
        assertThatCode(lock::unlock).doesNotThrowAnyException();
    }

    @Test
    default void unlockOfAnExpiredLockReportsIt() {
        String key = newKey();
        Lock lock = here().obtain(key);
        lock.lock();
        expire(key);
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    default void lockWithTimeToLiveEndsWithIt() {
        String key = newKey();
        here().obtain(key).lock(Duration.ofMillis(100));
        DistributedLock other = there().obtain(key);
        Await.until("the lock expires", Await.PATIENCE, () -> triesElsewhere(other));
    }

    @Test
    default void tryLockTakesATimeToLive() throws InterruptedException {
        String key = newKey();
        assertThat(here().obtain(key).tryLock(Duration.ofMinutes(1), Duration.ofSeconds(20)))
                .isTrue();
        assertThat(timeToLive(key)).isBetween(1L, 20_000L);
    }

    @Test
    default void renewalMakesALockLiveLonger() throws Exception {
        String key = newKey();
        DistributedLock lock = here().obtain(key);
        lock.lock(Duration.ofSeconds(30));
        ((RenewableLockRegistry<?>) here()).renewLock(key, Duration.ofMinutes(5));
        assertThat(timeToLive(key)).isGreaterThan(60_000);
        assertThatCode(lock::unlock).doesNotThrowAnyException();
    }

    @Test
    default void onlyAHeldLockIsRenewed() {
        String key = newKey();
        assertThatThrownBy(() -> ((RenewableLockRegistry<?>) here()).renewLock(key))
                .isInstanceOf(IllegalStateException.class);
        Lock lock = here().obtain(key);
        lock.lock();
        assertThatCode(() -> ((RenewableLockRegistry<?>) here()).renewLock(key)).doesNotThrowAnyException();
        lock.unlock();
    }

    @Test
    default void expiringUnusedLocksLeavesAHeldOneAlone() {
        String key = newKey();
        Lock lock = here().obtain(key);
        lock.lock();
        ((ExpirableLockRegistry<?>) here()).expireUnusedOlderThan(-1000);
        assertThat(triesElsewhere(here().obtain(key))).isFalse();
        assertThatCode(lock::unlock).doesNotThrowAnyException();
    }

    @Test
    default void executesTasksUnderTheLock() throws Exception {
        String key = newKey();
        String answer = here().executeLocked(key, () -> {
            assertThat(triesElsewhere(there().obtain(key))).isFalse();
            return "done";
        });
        assertThat(answer).isEqualTo("done");
        Lock lock = there().obtain(key);
        lock.lock();
        assertThatThrownBy(() -> here().executeLocked(key, Duration.ofMillis(10), () -> "never"))
                .isInstanceOf(TimeoutException.class);
        lock.unlock();
    }

    @Test
    default void conditionsAreNotSupported() {
        assertThatThrownBy(() -> here().obtain(newKey()).newCondition())
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    default void countersOfManyThreadsLoseNoUpdate() throws Exception {
        String key = newKey();
        int[] count = new int[1];
        AtomicInteger failures = new AtomicInteger();
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++) {
            LockRegistry<DistributedLock> registry = i % 2 == 0 ? here() : there();
            threads[i] = new Thread(() -> {
                try {
                    for (int round = 0; round < 10; round++) {
                        registry.executeLocked(key, () -> {
                            count[0]++;
                        });
                    }
                } catch (InterruptedException | RuntimeException e) {
                    failures.incrementAndGet();
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).hasValue(0);
        assertThat(count[0]).isEqualTo(80);
    }
}
