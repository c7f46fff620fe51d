package dev.holdfast.lock.composite;

import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Who has entered which composite how often. For the whole process, since composites of equal parts are one lock, whoever put them together; an
 * entry lives as long as the hold.
 */
final class CompositeHolds {

    private record Key(CompositeLock lock, Thread thread) {}

    /** One thread's hold. Only that thread counts it. */
    static final class Hold {

        final CompositeLease lease;
        int count = 1;

        Hold(CompositeLease lease) {
            this.lease = lease;
        }
    }

    private static final ConcurrentHashMap<Key, Hold> HOLDS = new ConcurrentHashMap<>();

    private CompositeHolds() {}

    static @Nullable Hold find(CompositeLock lock) {
        return HOLDS.get(new Key(lock, Thread.currentThread()));
    }

    static void begin(CompositeLock lock, CompositeLease lease) {
        Key key = new Key(lock, Thread.currentThread());
        HOLDS.put(key, new Hold(lease));
        // Whoever died holding leaves no more.
        lease.onLost(loss -> {
            if (!key.thread().isAlive()) {
                HOLDS.remove(key);
            }
        });
    }

    /** Answers whether that was the outermost hold, which is forgotten. */
    static boolean leave(CompositeLock lock, Hold hold) {
        hold.count--;
        if (hold.count > 0) {
            return false;
        }
        HOLDS.remove(new Key(lock, Thread.currentThread()));
        return true;
    }
}
