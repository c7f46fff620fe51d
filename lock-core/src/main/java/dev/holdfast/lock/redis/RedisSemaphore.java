package dev.holdfast.lock.redis;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseSemaphore;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LogText;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A semaphore as callers see it. It uses the engine's lock of the semaphore's kind. It offers no thread-bound holds, because these require a single
 * holder.
 */
final class RedisSemaphore implements LeaseSemaphore {

    private final RedisLock lock;
    private final int permits;

    RedisSemaphore(RedisLock lock, int permits) {
        this.lock = lock;
        this.permits = permits;
    }

    @Override
    public String name() {
        return lock.name();
    }

    @Override
    public LockKind kind() {
        return lock.kind();
    }

    @Override
    public int permits() {
        return permits;
    }

    @Override
    public int availablePermits() {
        return Math.max(0, permits - lock.holders());
    }

    @Override
    public Lease acquire(AcquireOptions options) {
        return lock.acquire(options);
    }

    @Override
    public Optional<Lease> tryAcquire(AcquireOptions options) {
        return lock.tryAcquire(options);
    }

    @Override
    public CompletionStage<Lease> acquireAsync(AcquireOptions options) {
        return lock.acquireAsync(options);
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquireAsync(AcquireOptions options) {
        return lock.tryAcquireAsync(options);
    }

    /** Returns whether the other semaphore has the same client, name, kind and number of permits. Such semaphores are one semaphore. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RedisSemaphore semaphore && semaphore.lock.equals(lock);
    }

    @Override
    public int hashCode() {
        return lock.hashCode();
    }

    @Override
    public String toString() {
        return "LeaseSemaphore[" + LogText.escape(name()) + ", " + kind() + ", " + permits + " permits]";
    }
}
