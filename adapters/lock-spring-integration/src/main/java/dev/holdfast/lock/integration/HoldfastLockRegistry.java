package dev.holdfast.lock.integration;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.stream.Collectors;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.util.ClassUtils;

/**
 * A Spring Integration lock registry that uses the locks of a {@link LockClient}. The locks are re-entrant and owned by a thread. They are renewed
 * while the thread holds them, unless the thread asks for a time to live. A waiter is woken when the lock is released.
 *
 * <p>If a thread's lease was lost, the lock refuses the thread until the thread has unlocked it: {@code lock}, {@code tryLock} and {@code unlock}
 * throw {@link java.util.ConcurrentModificationException}, as other registries do for an expired lock. A leader initiator then revokes its
 * leadership.
 *
 * <p>The registry keeps no locks, so it needs no limit, and no lock needs to be expired. Locks of one key are equal. Thread-safe.
 */
public final class HoldfastLockRegistry
        implements ExpirableLockRegistry<DistributedLock>, RenewableLockRegistry<DistributedLock> {

    /** The default registry key, which is the text before the colon in the names of the locks. */
    public static final String DEFAULT_REGISTRY_KEY = "integration";

    /** The time by which {@link #renewLock(Object)} extends a lock. It equals the default time to live of other registries. */
    private static final Duration RENEWAL = Duration.ofSeconds(60);

    /** The maximum length of a key. It leaves room for the registry key and the client's prefix, because a lock's name has at most 512 bytes. */
    private static final int LONGEST_KEY = 256;

    private final LockClient client;
    private final String registryKey;

    /** Creates a registry with the {@linkplain #DEFAULT_REGISTRY_KEY default registry key}. */
    public HoldfastLockRegistry(LockClient client) {
        this(client, DEFAULT_REGISTRY_KEY);
    }

    /**
     * Creates a registry.
     *
     * @param client the lock client, which the registry does not close
     * @param registryKey the text with which the names of the locks begin. Registries with the same Redis and the same registry key share their locks
     */
    public HoldfastLockRegistry(LockClient client, String registryKey) {
        this.client = client;
        this.registryKey = registryKey;
        check(registryKey);
    }

    private void check(String key) {
        // Refuses a registry key with which no lock's name can begin.
        var unused = client.getLock(key + ":");
    }

    /**
     * {@return the lock of a key} Sends no command.
     *
     * @param lockKey text, a number, a UUID, an enum constant or another simple value, of any length
     */
    @Override
    public DistributedLock obtain(Object lockKey) {
        return new RegistryLock(lock(lockKey));
    }

    private LeaseLock lock(Object lockKey) {
        if (lockKey == null || !ClassUtils.isSimpleValueType(lockKey.getClass())) {
            throw new IllegalArgumentException("A lock's key must be text, a number or another simple value, was "
                    + (lockKey == null ? "null" : lockKey.getClass().getName()));
        }
        return client.getLock(registryKey + ":" + name(lockKey.toString()));
    }

    /**
     * Returns the part of a lock's name for a key. Braces are encoded, because they would select a cluster slot. A key that is too long for a name is
     * replaced by its digest.
     */
    private static String name(String key) {
        String name = key.chars().noneMatch(HoldfastLockRegistry::isSpecial)
                ? key
                : key.chars().mapToObj(HoldfastLockRegistry::encoded).collect(Collectors.joining());
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= LONGEST_KEY ? name : "%sha256:" + HexFormat.of().formatHex(sha256(bytes));
    }

    private static boolean isSpecial(int unit) {
        return unit == '%' || unit == '{' || unit == '}' || Character.isSurrogate((char) unit);
    }

    private static String encoded(int unit) {
        return isSpecial(unit) ? String.format("%%%04X", unit) : Character.toString(unit);
    }

    private static byte[] sha256(byte[] text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256", e);
        }
    }

    /** Extends a lock that this thread holds, so that it lasts at least 60 s from now on. A lock without a time to live is renewed anyway. */
    @Override
    public void renewLock(Object lockKey) {
        renewLock(lockKey, RENEWAL);
    }

    /**
     * Extends a lock that this thread holds, so that it lasts at least this long from now on.
     *
     * @param ttl 10 ms to 24 h
     * @throws IllegalStateException if this thread does not hold the lock, or has lost it
     */
    @Override
    public void renewLock(Object lockKey, Duration ttl) {
        LeaseLock lock = lock(lockKey);
        int holds = lock.holdCount();
        if (holds == 0 || !RegistryLock.extend(lock, holds, ttl)) {
            throw new IllegalStateException("This thread does not hold the lock '" + lock.name() + "'");
        }
    }

    /** Does nothing, because the registry keeps no locks. */
    @Override
    public void expireUnusedOlderThan(long age) {}

    @Override
    public String toString() {
        return "HoldfastLockRegistry[" + registryKey + "]";
    }
}
