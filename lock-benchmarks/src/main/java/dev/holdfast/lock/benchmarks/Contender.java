package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

/** One client of one library, with connections of its own. */
interface Contender extends AutoCloseable {

    Lock lock(String name, LockKind kind);

    default Lock lock(String name) {
        return lock(name, LockKind.REENTRANT);
    }

    /**
     * Acquires a plain lock, where the library can without a thread. The answer releases it.
     *
     * @param renewed whether the client renews it as by default, or it has a lease that is longer than any benchmark
     */
    default CompletableFuture<Runnable> acquire(String name, boolean renewed) {
        Lock lock = lock(name);
        lock.lock();
        return CompletableFuture.completedFuture(lock::unlock);
    }

    @Override
    void close();
}
