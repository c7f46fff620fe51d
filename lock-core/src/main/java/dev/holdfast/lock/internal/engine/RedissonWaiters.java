package dev.holdfast.lock.internal.engine;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Knows for which locks a client of Redisson waits: it heard this client's last release. Such a lock is not handed over in memory, or Redisson's
 * clients would wait for all those turns.
 *
 * <p>Keeps a fixed number of locks, so that names that are used once leave nothing behind. A lock that another one displaces is handed over once more,
 * until its next release.
 */
final class RedissonWaiters {

    private static final int LOCKS = 1024;

    /** The hash of a lock's key, each at a place of its own; 0 for none. */
    private final AtomicIntegerArray keys = new AtomicIntegerArray(LOCKS);

    /** Redis has executed a release. */
    void released(String key, boolean heardByRedisson) {
        int hash = hash(key);
        if (heardByRedisson) {
            keys.set(at(hash), hash);
        } else if (keys.get(at(hash)) == hash) {
            keys.set(at(hash), 0);
        }
    }

    boolean waitFor(String key) {
        int hash = hash(key);
        return keys.get(at(hash)) == hash;
    }

    private static int hash(String key) {
        return key.hashCode() | 1;
    }

    private static int at(int hash) {
        return (hash >>> 1) % LOCKS;
    }
}
