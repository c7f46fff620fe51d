package dev.holdfast.lock.internal.engine;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Records the locks for which clients of Redisson wait. This client knows it because they received the message of its last release. Such a lock is
 * not handed over in memory. Otherwise, Redisson's clients would have to wait for all local hand-overs.
 *
 * <p>The number of recorded locks is fixed, so that names that are used only once do not fill the memory. If another lock displaces a recorded lock,
 * the displaced lock may be handed over until its next release in Redis.
 */
final class RedissonWaiters {

    private static final int LOCKS = 1024;

    /** The hash codes of the recorded keys, each at an index that follows from the hash code. 0 means that no key is recorded. */
    private final AtomicIntegerArray keys = new AtomicIntegerArray(LOCKS);

    /** Called when Redis has executed a release. */
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
