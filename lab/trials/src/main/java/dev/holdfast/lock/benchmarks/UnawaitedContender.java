package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockKind;
import java.util.concurrent.locks.Lock;

/** Holdfast whose callers do not wait for the answer to a release. */
final class UnawaitedContender implements Contender {

    private final HoldfastContender holdfast;

    UnawaitedContender(int port) {
        this.holdfast = new HoldfastContender(port);
    }

    @Override
    public Lock lock(String name, LockKind kind) {
        LeaseLock lock = holdfast.lock(name, kind);
        return new TriedLock() {

            @Override
            boolean take() {
                lock.lock();
                return true;
            }

            @Override
            public void unlock() {
                lock.unlockAsync();
            }
        };
    }

    @Override
    public void close() {
        holdfast.close();
    }
}
