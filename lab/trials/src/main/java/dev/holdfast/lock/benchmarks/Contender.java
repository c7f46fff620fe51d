package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

/** One client of one library, with its own connections. */
interface Contender extends AutoCloseable {

    Lock lock(String name, LockKind kind);

    default Lock lock(String name) {
        return lock(name, LockKind.REENTRANT);
    }

    /**
     * Acquires a plain lock, without blocking a thread if the library supports this. The result releases the lock.
     *
     * @param renewed whether the client renews the lease, as by default; if false, the lease is longer than any benchmark
     */
    default CompletableFuture<Runnable> acquire(String name, boolean renewed) {
        Lock lock = lock(name);
        lock.lock();
        return CompletableFuture.completedFuture(lock::unlock);
    }

    @Override
    void close();
}
