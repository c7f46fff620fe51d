package dev.holdfast.lock.lease;

import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Who has entered which lock how often: re-entry is counted here, and only the outermost hold is known to Redis. */
public final class ThreadHolds {

    private record Key(String lock, Thread thread) {}

    /** One thread's hold on one lock. Only that thread counts it. */
    public static final class Hold {

        private final HeldLease lease;
        private int count = 1;

        Hold(HeldLease lease) {
            this.lease = lease;
        }

        /** The lease that all of the thread's entries share. */
        public HeldLease lease() {
            return lease;
        }

        /** How often the thread has entered. */
        public int count() {
            return count;
        }

        /** Enters once more. */
        public void enter() {
            count++;
        }
    }

    private final ConcurrentHashMap<Key, Hold> holds = new ConcurrentHashMap<>();

    /** The present thread's hold. */
    public @Nullable Hold find(String lock) {
        return find(lock, Thread.currentThread());
    }

    /** Another thread's hold, or the present one's. */
    public @Nullable Hold find(String lock, Thread thread) {
        return holds.get(new Key(lock, thread));
    }

    /** Begins a hold of the present thread. */
    public void begin(String lock, HeldLease lease) {
        holds.put(new Key(lock, Thread.currentThread()), new Hold(lease));
    }

    /**
     * Leaves once.
     *
     * @return true if that was the outermost hold, which is forgotten
     */
    public boolean leave(String lock, Hold hold) {
        hold.count--;
        if (hold.count > 0) {
            return false;
        }
        holds.remove(new Key(lock, Thread.currentThread()));
        return true;
    }

    /** A lease ended; if its thread is dead, nobody else will leave in its place. */
    public void forgetDead(String lock, HeldLease lease) {
        if (lease.terms().deadHolder() != null) {
            holds.remove(new Key(lock, lease.terms().thread()));
        }
    }
}
