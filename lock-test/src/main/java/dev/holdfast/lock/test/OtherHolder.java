package dev.holdfast.lock.test;

import dev.holdfast.lock.Lease;

/** A simulated other instance that holds a lock. */
public final class OtherHolder implements AutoCloseable {

    private final Lease lease;
    private final Runnable settle;

    OtherHolder(Lease lease, Runnable settle) {
        this.lease = lease;
        this.settle = settle;
    }

    /** Returns the name of the lock. */
    public String lockName() {
        return lease.lockName();
    }

    /** Releases the lock. The next waiter gets it. */
    public void release() {
        if (lease.isHeld()) {
            lease.close();
            settle.run();
        }
    }

    /** Releases the lock, as {@link #release()} does. */
    @Override
    public void close() {
        release();
    }
}
