package dev.holdfast.lock.internal.thread;

import dev.holdfast.lock.LeaseLoss;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Records how often each thread holds each lock. Only the outermost hold has a lease, and nested holds are counted. A hold whose lease was lost is
 * kept separately, so that the thread can acquire the lock again. A lost hold ends with its last unlock or with its thread. Each thread keeps only
 * its latest {@value #MOST_LOST} lost holds, so that code that never unlocks does not fill the memory.
 *
 * @param <L> the type of the lease of an outermost hold
 */
public final class ThreadHolds<L> {

    static final int MOST_LOST = 100;

    private record Key(Object lock, Thread thread) {}

    /**
     * The hold of one thread on one lock. Only this thread enters and leaves the hold. Any thread that learns of the loss of the lease ends the hold.
     */
    public static final class Hold<L> {

        private final L lease;
        /** The number of entries that are left, or 0 after the end of the hold. */
        private int count = 1;

        Hold(L lease) {
            this.lease = lease;
        }

        /** Returns the lease, which all entries of the hold share. */
        public L lease() {
            return lease;
        }

        synchronized int count() {
            return count;
        }

        /** Adds an entry. Returns false if the lease was lost in the meantime. */
        synchronized boolean enter() {
            count += count > 0 ? 1 : 0;
            return count > 0;
        }

        synchronized int leave() {
            return count == 0 ? -1 : --count;
        }

        /** Ends the hold. Returns the number of entries that were left, or 0 if the hold had ended before. */
        synchronized int end() {
            int left = count;
            count = 0;
            return left;
        }
    }

    /** The rest of a hold whose lease was lost. Must not refer to a thread, because threads are weak keys of the map. */
    private record LostHold(int count, LeaseLoss loss) {}

    private final ConcurrentHashMap<Key, Hold<L>> holds = new ConcurrentHashMap<>();
    private final Map<Thread, Map<Object, LostHold>> lostHolds = new WeakHashMap<>();

    /** Returns the current thread's hold. */
    public @Nullable Hold<L> find(Object lock) {
        return find(lock, Thread.currentThread());
    }

    /** Returns the hold of the given thread. */
    public @Nullable Hold<L> find(Object lock, Thread thread) {
        return holds.get(new Key(lock, thread));
    }

    /** Creates a hold of the current thread. */
    Hold<L> begin(Object lock, L lease) {
        Hold<L> hold = new Hold<>(lease);
        holds.put(new Key(lock, Thread.currentThread()), hold);
        return hold;
    }

    /**
     * Removes one entry from the current thread's hold. Returns the number of entries that are left, or a negative value if the lease was lost
     * before.
     */
    int leave(Object lock, Hold<L> hold) {
        int left = hold.leave();
        if (left == 0) {
            holds.remove(new Key(lock, Thread.currentThread()), hold);
        }
        return left;
    }

    /**
     * Called when the lease of a hold was lost. Each remaining unlock reports the loss. A thread that has ended cannot unlock, so its hold is not
     * kept.
     */
    void lost(Object lock, Thread thread, Hold<L> hold, LeaseLoss loss) {
        // Ends the hold and records its loss in one step: an unlock that finds the hold ended or missing must find the
        // loss.
        synchronized (hold) {
            int left = hold.end();
            if (left > 0 && thread.isAlive()) {
                addLost(thread, lock, left, loss);
            }
        }
        holds.remove(new Key(lock, thread), hold);
    }

    private void addLost(Thread thread, Object lock, int count, LeaseLoss loss) {
        synchronized (lostHolds) {
            Map<Object, LostHold> ofThread = lostHolds.computeIfAbsent(thread, key -> new LinkedHashMap<>());
            LostHold before = ofThread.remove(lock);
            ofThread.put(lock, new LostHold(count + (before == null ? 0 : before.count), loss));
            if (ofThread.size() > MOST_LOST) {
                ofThread.remove(ofThread.keySet().iterator().next());
            }
        }
    }

    /** Returns the loss of the current thread's hold, or null if the thread has no lost hold. */
    @Nullable
    LeaseLoss loss(Object lock) {
        return loss(lock, 0);
    }

    /** Removes one entry from the current thread's lost hold. Returns the loss, or null if the thread has no lost hold. */
    @Nullable
    LeaseLoss leaveLost(Object lock) {
        return loss(lock, 1);
    }

    private @Nullable LeaseLoss loss(Object lock, int leaving) {
        synchronized (lostHolds) {
            Map<Object, LostHold> ofThread = lostHolds.get(Thread.currentThread());
            LostHold hold = ofThread == null ? null : ofThread.get(lock);
            if (ofThread == null || hold == null) {
                return null;
            }
            if (hold.count > leaving) {
                ofThread.replace(lock, new LostHold(hold.count - leaving, hold.loss));
            } else if (ofThread.remove(lock) != null && ofThread.isEmpty()) {
                lostHolds.remove(Thread.currentThread());
            }
            return hold.loss;
        }
    }

    /** Returns the number of holds, including lost holds. */
    int size() {
        synchronized (lostHolds) {
            return holds.size()
                    + lostHolds.values().stream().mapToInt(Map::size).sum();
        }
    }
}
