package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.trials.LockLibrary;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

/** One client of one library, with its own connections. */
interface Contender extends AutoCloseable {

    /** Creates a client with its own connections and the library's defaults. */
    static Contender open(LockLibrary library, int port) {
        return switch (library) {
            case HOLDFAST, EARLIER -> new HoldfastContender(port);
            case GRACE -> new HoldfastContender(port, Duration.ofSeconds(45));
            case UNAWAITED -> new UnawaitedContender(port);
            case REDISSON -> RedissonContender.withDefaults(port);
            case SPRING -> new SpringContender(port);
            case SHEDLOCK -> new ShedLockContender(port);
            case LOCK4J -> new Lock4jContender(port);
            case RAW -> new RawContender(port);
            case SLOWED -> new SlowedContender(port);
            case NAIVE -> throw new IllegalArgumentException("No benchmark of " + library.label());
        };
    }

    /** Creates a client that is one of many in its JVM. */
    static Contender openOneOfMany(LockLibrary library, int port) {
        return library == LockLibrary.REDISSON ? RedissonContender.small(port) : open(library, port);
    }

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
