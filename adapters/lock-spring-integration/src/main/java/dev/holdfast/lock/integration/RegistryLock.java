package dev.holdfast.lock.integration;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseLostException;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * A thread's lock in the form that Spring Integration uses. It differs from its {@link LeaseLock} after a loss. A {@link LeaseLock} lets its thread
 * acquire it again inside the lost hold. A leader that checks its leadership by locking again would then unlock the new hold, and lead without a
 * lock.
 */
record RegistryLock(LeaseLock leaseLock) implements DistributedLock {

    /** Extends the lease by acquiring a nested hold. Returns false if the thread has lost the lock meanwhile. */
    static boolean extend(LeaseLock lock, int holds, Duration ttl) {
        // The interrupt status is cleared, because an interrupted thread would be refused. A nested hold does not wait.
        boolean interrupted = Thread.interrupted();
        boolean nested = false;
        try {
            if (lock.tryLock(Duration.ZERO, ttl)) {
                nested = lock.holdCount() > holds;
                lock.unlock();
            }
        } catch (LeaseLostException lost) {
            nested = false;
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return nested;
    }

    @Override
    public void lock() {
        checkIsNotLost();
        leaseLock.lock();
    }

    @Override
    public void lock(Duration ttl) {
        checkIsNotLost();
        leaseLock.lock(ttl);
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        checkIsNotLost();
        leaseLock.lockInterruptibly();
    }

    @Override
    public boolean tryLock() {
        checkIsNotLost();
        return leaseLock.tryLock();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        checkIsNotLost();
        return leaseLock.tryLock(time, unit);
    }

    @Override
    public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
        checkIsNotLost();
        return leaseLock.tryLock(waitTime, ttl);
    }

    private void checkIsNotLost() {
        if (leaseLock.isHeldByCurrentThread()) {
            return;
        }
        try {
            var unused = leaseLock.fencingToken();
        } catch (LeaseLostException lost) {
            throw broken("must be unlocked before it is locked again", lost);
        } catch (IllegalMonitorStateException notHeld) {
            // The thread does not hold the lock, which is the usual case.
        }
    }

    @Override
    public void unlock() {
        try {
            leaseLock.unlock();
        } catch (LeaseLostException lost) {
            throw broken("ended before it was unlocked", lost);
        }
    }

    private ConcurrentModificationException broken(String what, LeaseLostException lost) {
        return new ConcurrentModificationException(
                "The lock '" + leaseLock.name() + "' was lost, and " + what + ". " + lost.getMessage(), lost);
    }

    @Override
    public Condition newCondition() {
        return leaseLock.newCondition();
    }
}
