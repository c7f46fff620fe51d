package dev.holdfast.lock.integration;

import static org.assertj.core.api.Assertions.assertThat;
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
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.DistributedLock;

class HoldfastLockRegistryTest implements LockRegistryContract {

    private static LockClient here;
    private static LockClient there;

    private final HoldfastLockRegistry registry = new HoldfastLockRegistry(here);

    @BeforeAll
    static void open() {
        here = newClient();
        there = newClient();
    }

    static LockClient newClient() {
        return RedisLockClient.builder(RedisSource.of(RedisServer.shared().uri()))
                .watchdogTimeout(Duration.ofSeconds(15))
                .build();
    }

    @AfterAll
    static void close() {
        here.close();
        there.close();
    }

    @Override
    public HoldfastLockRegistry here() {
        return registry;
    }

    @Override
    public HoldfastLockRegistry there() {
        return new HoldfastLockRegistry(there);
    }

    @Override
    public void expire(String key) {
        assertThat(RedisServer.shared().cli().del("integration:" + key)).isOne();
    }

    @Override
    public long timeToLive(String key) {
        return RedisServer.shared().cli().pttl("integration:" + key);
    }

    @Test
    void threadThatLostALockMustUnlockItFirst() {
        String key = LockRegistryContract.newKey();
        Lock lock = registry.obtain(key);
        lock.lock();
        expire(key);
        Await.until(
                "the holder learns of the loss",
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
    void interruptedHolderRenewsAndStaysInterrupted() {
        String key = LockRegistryContract.newKey();
        DistributedLock lock = registry.obtain(key);
        lock.lock(Duration.ofSeconds(30));
        Thread.currentThread().interrupt();
        registry.renewLock(key, Duration.ofMinutes(5));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(RedisServer.shared().cli().pttl("integration:" + key)).isGreaterThan(60_000);
        lock.unlock();
    }

    /** Spring Integration's Redis registry lets every thread of the process renew. */
    @Test
    void onlyTheHolderRenews() {
        String key = LockRegistryContract.newKey();
        Lock lock = registry.obtain(key);
        lock.lock();
        assertThatThrownBy(() -> LockRegistryContract.elsewhere(() -> {
                    registry.renewLock(key);
                    return null;
                }))
                .rootCause()
                .isInstanceOf(IllegalStateException.class);
        lock.unlock();
    }

    @Test
    void everySimpleValueIsAKey() {
        for (Object key : new Object[] {
            "", "{", "}{", "%", "😀", "half \ud83d", "a".repeat(5_000), 7, 7L, UUID.randomUUID(), DayOfWeek.MONDAY, 'c'
        }) {
            DistributedLock lock = registry.obtain(key);
            assertThat(lock.tryLock()).as(String.valueOf(key)).isTrue();
            lock.unlock();
            assertThat(registry.obtain(key)).isEqualTo(lock);
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
        String key = LockRegistryContract.newKey();
        Lock lock = registry.obtain(key);
        lock.lock();
        Lock other = new HoldfastLockRegistry(there, "other").obtain(key);
        assertThat(other.tryLock()).isTrue();
        other.unlock();
        lock.unlock();
    }
}
