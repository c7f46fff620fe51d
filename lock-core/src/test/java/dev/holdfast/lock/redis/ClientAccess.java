package dev.holdfast.lock.redis;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.connection.KeySlots;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.engine.ClientSession;
import java.time.Duration;
import java.util.Objects;

/** What tests in other packages need of a client and its users do not. */
public final class ClientAccess {

    /** How many names one lock may have. */
    public static final int MOST_NAMES = MultiLocks.MOST_NAMES;

    /** How many waiters a client shows. */
    public static final int MOST_SHOWN = RedisLockClient.MOST_SHOWN;

    private ClientAccess() {}

    public static ClientSession session(LockClient client) {
        return Objects.requireNonNull(((RedisLockClient) client).openOrNull());
    }

    public static RedisGateway.Opener opener(RedisSource source) {
        return source.opener(new KeySlots(false));
    }

    /** A semaphore with the methods of a lock. */
    public static LeaseLock permits(LockClient client, String name, int permits) {
        return ((RedisLockClient) client).lock(name, LockKind.SEMAPHORE, permits);
    }

    public static RedisLockClientBuilder nameLifetime(RedisLockClientBuilder client, Duration lifetime) {
        return client.clientNameLifetime(lifetime);
    }
}
