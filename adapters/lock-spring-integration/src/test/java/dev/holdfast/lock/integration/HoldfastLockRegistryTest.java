package dev.holdfast.lock.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.DayOfWeek;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.DistributedLock;

/** What Spring Integration's reference and the tests of its own registries state of a lock registry, and what differs here. */
class HoldfastLockRegistryTest {

    @AutoClose
    private static LockClient here;

    @AutoClose
    private static LockClient there;

    @BeforeAll
    static void start() {
        here = newClient();
        there = newClient();
    }

    private final HoldfastLockRegistry registry = new HoldfastLockRegistry(here);
    private final String key = "key-" + UUID.randomUUID();
    private final DistributedLock lock = registry.obtain(key);

    /** Of another process. */
    private final DistributedLock other = new HoldfastLockRegistry(there).obtain(key);

    private static LockClient newClient() {
        return RedisLockClient.builder(RedisSource.of(RedisServer.shared().uri()))
                .watchdogTimeout(Duration.ofSeconds(15))
                .build();
    }

    /** Deletes what Redis has of the lock, as its expiry does. */
    private void expire() {
        assertThat(RedisServer.shared().cli().del("integration:" + key)).isOne();
    }

    /** For how long Redis keeps the lock, in milliseconds. */
    private long timeToLive() {
        return RedisServer.shared().cli().pttl("integration:" + key);
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

    private static <T> T elsewhere(Callable<T> work) {
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
    void lockExcludesOtherThreadsAndOtherProcesses() {
        lock.lock();
        try {
            assertThat(triesElsewhere(registry.obtain(key))).isFalse();
            assertThat(triesElsewhere(other)).isFalse();
        } finally {
            lock.unlock();
        }
        assertThat(triesElsewhere(registry.obtain(key))).isTrue();
        assertThat(triesElsewhere(other)).isTrue();
    }

    @Test
    void locksOfDifferentKeysAreIndependent() {
        Lock another = registry.obtain(key + "-another");
        lock.lock();
        assertThat(another).isNotEqualTo(lock);
        assertThat(triesElsewhere(another)).isTrue();
        lock.unlock();
    }

    @Test
    void locksOfOneKeyAreOneReentrantLock() throws InterruptedException {
        lock.lockInterruptibly();
        Lock inner = registry.obtain(key);
        assertThat(inner).isEqualTo(lock);
        inner.lockInterruptibly();
        assertThat(inner.tryLock()).isTrue();
        inner.unlock();
        inner.unlock();
        assertThat(triesElsewhere(other)).isFalse();
        lock.unlock();
        assertThat(triesElsewhere(other)).isTrue();
    }

    @Test
    void unlockLetsAWaiterInAnotherProcessIn() throws Exception {
        lock.lock();
        CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> {
            other.lock();
            other.unlock();
            return true;
        });
        lock.unlock();
        assertThat(waiting.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void onlyTheHolderUnlocks() {
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
    void unlockOfAnExpiredLockReportsIt() {
        lock.lock();
        expire();
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    void lockWithTimeToLiveEndsWithIt() {
        lock.lock(Duration.ofMillis(100));
        Await.until("the lock expires", Await.PATIENCE, () -> triesElsewhere(other));
    }

    @Test
    void tryLockTakesATimeToLive() throws InterruptedException {
        assertThat(lock.tryLock(Duration.ofMinutes(1), Duration.ofSeconds(20))).isTrue();
        assertThat(timeToLive()).isBetween(1L, 20_000L);
    }

    @Test
    void renewalMakesALockLiveLonger() {
        lock.lock(Duration.ofSeconds(30));
        registry.renewLock(key, Duration.ofMinutes(5));
        assertThat(timeToLive()).isGreaterThan(60_000);
        assertThatCode(lock::unlock).doesNotThrowAnyException();
    }

    /** Spring Integration's Redis registry lets every thread of the process renew. */
    @Test
    void onlyTheHolderRenews() {
        assertThatThrownBy(() -> registry.renewLock(key)).isInstanceOf(IllegalStateException.class);
        lock.lock();
        assertThatThrownBy(() -> elsewhere(() -> {
                    registry.renewLock(key);
                    return null;
                }))
                .rootCause()
                .isInstanceOf(IllegalStateException.class);
        assertThatCode(() -> registry.renewLock(key)).doesNotThrowAnyException();
        lock.unlock();
    }

    @Test
    void interruptedHolderRenewsAndStaysInterrupted() {
        lock.lock(Duration.ofSeconds(30));
        Thread.currentThread().interrupt();
        registry.renewLock(key, Duration.ofMinutes(5));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(timeToLive()).isGreaterThan(60_000);
        lock.unlock();
    }

    @Test
    void expiringUnusedLocksLeavesAHeldOneAlone() {
        lock.lock();
        registry.expireUnusedOlderThan(-1000);
        assertThat(triesElsewhere(registry.obtain(key))).isFalse();
        assertThatCode(lock::unlock).doesNotThrowAnyException();
    }

    @Test
    void executesTasksUnderTheLock() throws Exception {
        String answer = registry.executeLocked(key, () -> {
            assertThat(triesElsewhere(other)).isFalse();
            return "done";
        });
        assertThat(answer).isEqualTo("done");
        other.lock();
        assertThatThrownBy(() -> registry.executeLocked(key, Duration.ofMillis(10), () -> "never"))
                .isInstanceOf(TimeoutException.class);
        other.unlock();
    }

    @Test
    void conditionsAreNotSupported() {
        assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void threadThatLostALockMustUnlockItFirst() {
        lock.lock();
        expire();
        Await.until(
                "the holder notices the loss",
                Await.PATIENCE,
                () -> here.heldLocks().stream()
                        .noneMatch(held -> held.lockName().endsWith(key)));
        assertThatThrownBy(lock::tryLock)
                .isInstanceOf(ConcurrentModificationException.class)
                .hasMessageContaining("must be unlocked before");
        assertThatThrownBy(lock::lock).isInstanceOf(ConcurrentModificationException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
        lock.lock();
        lock.unlock();
    }

    @Test
    void everySimpleValueIsAKey() {
        for (Object value : new Object[] {
            "", "{", "}{", "%", "😀", "half \ud83d", "a".repeat(5_000), 7, 7L, UUID.randomUUID(), DayOfWeek.MONDAY, 'c'
        }) {
            DistributedLock its = registry.obtain(value);
            assertThat(its.tryLock()).as(String.valueOf(value)).isTrue();
            its.unlock();
            assertThat(registry.obtain(value)).isEqualTo(its);
        }
        assertThat(registry.obtain("a".repeat(5_000))).isNotEqualTo(registry.obtain("a".repeat(5_001)));
        assertThat(registry.obtain("%007B")).isNotEqualTo(registry.obtain("{"));
    }

    @Test
    void objectsWithoutAValueAreNoKeys() {
        assertThatThrownBy(() -> registry.obtain(new Object()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("java.lang.Object");
        assertThatThrownBy(() -> registry.obtain(null)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void registriesOfDifferentKeysShareNoLocks() {
        lock.lock();
        Lock unrelated = new HoldfastLockRegistry(there, "other").obtain(key);
        assertThat(unrelated.tryLock()).isTrue();
        unrelated.unlock();
        lock.unlock();
    }
}
