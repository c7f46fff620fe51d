package dev.holdfast.lock.redis.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LeaseReadWriteLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.composite.MultiLock;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
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
}
