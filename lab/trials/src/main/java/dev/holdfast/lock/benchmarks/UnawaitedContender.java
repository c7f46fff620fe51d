package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import io.lettuce.core.RedisURI;
import java.util.Objects;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** Holdfast that sends its releases and does not wait for the answer. */
final class UnawaitedContender implements Contender {

    private final LockClient client;

    UnawaitedContender(int port) {
        this.client = RedisLockClient.builder(RedisSource.of(RedisURI.create("127.0.0.1", port)))
                .build();
        client.connected().toCompletableFuture().join();
    }

    @Override
    public Lock lock(String name, LockKind kind) {
        LeaseLock lock = client.getLock(name, kind);
        return new TriedLock() {

            private @Nullable Lease lease;

            @Override
            boolean take() {
                lease = lock.acquire(AcquireOptions.defaults());
                return true;
            }

            @Override
            public void unlock() {
                Objects.requireNonNull(lease).releaseAsync();
            }
        };
    }

    @Override
    public void close() {
        client.close();
    }
}
