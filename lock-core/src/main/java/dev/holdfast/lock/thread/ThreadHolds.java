package dev.holdfast.lock.thread;

import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Who has entered which lock how often. Only the outermost hold has a lease; the others are counted here.
 *
 * @param <L> what the outermost hold is
 */
public final class ThreadHolds<L> {

    private record Key(Object lock, Thread thread) {}

    /**
     * One thread's hold on one lock. Only that thread counts it.
     *
     * @param <L> what the outermost hold is
     */
    public static final class Hold<L> {

        private final L lease;
        private int count = 1;

        Hold(L lease) {
            this.lease = lease;
        }

        /** The lease that all of the thread's entries share. */
        public L lease() {
            return lease;
        }

        int count() {
            return count;
        }

        void enter() {
            count++;
        }
    }

    private final ConcurrentHashMap<Key, Hold<L>> holds = new ConcurrentHashMap<>();

    /** The present thread's hold. */
    public @Nullable Hold<L> find(Object lock) {
        return find(lock, Thread.currentThread());
    }

    /** Another thread's hold, or the present one's. */
    public @Nullable Hold<L> find(Object lock, Thread thread) {
        return holds.get(new Key(lock, thread));
    }

    /** Begins a hold of the present thread. */
    void begin(Object lock, L lease) {
        holds.put(new Key(lock, Thread.currentThread()), new Hold<>(lease));
    }

    /** Leaves once. Answers whether that was the outermost hold, which is forgotten. */
    boolean leave(Object lock, Hold<L> hold) {
        hold.count--;
        if (hold.count > 0) {
            return false;
        }
        holds.remove(new Key(lock, Thread.currentThread()));
        return true;
    }

    /** A thread's lease ended; if the thread is dead, nobody else will leave in its place. */
    public void forgetDead(Object lock, Thread thread) {
        if (!thread.isAlive()) {
            holds.remove(new Key(lock, thread));
        }
    }
}
