package dev.holdfast.lock.benchmarks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** A lock of a library that only tries once, or that has no {@link Lock}. One thread uses it. */
abstract class TriedLock implements Lock {

    /** Acquires the lock. Returns false if it is busy. */
    abstract boolean take();

    @Override
    public final void lock() {
        if (!take()) {
            throw new IllegalStateException("Busy: " + this);
        }
    }

    @Override
    public final void lockInterruptibly() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        lock();
    }

    @Override
    public final boolean tryLock() {
        return take();
    }

    @Override
    public final boolean tryLock(long time, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public final Condition newCondition() {
        throw new UnsupportedOperationException();
    }
}
