package dev.holdfast.lock.internal.thread;

import dev.holdfast.lock.LeaseLoss;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * How often each thread holds each lock. Only the outermost hold has a lease; nested ones are counted. A hold whose lease was lost is kept
 * separately, so the thread can acquire the lock again. It ends with its last unlock or with its thread. Each thread keeps its latest {@value
 * #MOST_LOST}, so code that never unlocks does not fill the memory.
 *
 * @param <L> the lease of an outermost hold
 */
public final class ThreadHolds<L> {

    static final int MOST_LOST = 100;

    private record Key(Object lock, Thread thread) {}

    /** One thread's hold on one lock. Only that thread enters and leaves it; any thread that learns of the loss ends it. */
    public static final class Hold<L> {

        private final L lease;
        /** How many entries are left; 0 once it has ended. */
        private int count = 1;

        Hold(L lease) {
            this.lease = lease;
        }

        /** The lease that all of the thread's entries share. */
        public L lease() {
            return lease;
        }

        synchronized int count() {
            return count;
        }

        /** Enters once more. Returns false if the lease was lost in the meantime. */
        synchronized boolean enter() {
            count += count > 0 ? 1 : 0;
            return count > 0;
        }

        synchronized int leave() {
            return count == 0 ? -1 : --count;
        }

        /** Ends the hold. Returns how many entries were left; none if it had ended before. */
        synchronized int end() {
            int left = count;
            count = 0;
            return left;
        }
    }

    /** Must not refer to a thread: threads are weak keys. */
    private record LostHold(int count, LeaseLoss loss) {}

    private static final class LostHolds extends LinkedHashMap<Object, LostHold> {

        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, LostHold> eldest) {
            return size() > MOST_LOST;
        }
    }

    private final ConcurrentHashMap<Key, Hold<L>> holds = new ConcurrentHashMap<>();
    private final Map<Thread, LostHolds> lostHolds = new WeakHashMap<>();

    /** The current thread's hold. */
    public @Nullable Hold<L> find(Object lock) {
        return find(lock, Thread.currentThread());
    }

    /** Another thread's hold, or the current one's. */
    public @Nullable Hold<L> find(Object lock, Thread thread) {
        return holds.get(new Key(lock, thread));
    }

    /** Begins a hold of the current thread. */
    Hold<L> begin(Object lock, L lease) {
        Hold<L> hold = new Hold<>(lease);
        holds.put(new Key(lock, Thread.currentThread()), hold);
        return hold;
    }

    /** Leaves the current thread's hold once. Returns how many entries are left; negative if its lease was lost before. */
    int leave(Object lock, Hold<L> hold) {
        int left = hold.leave();
        if (left == 0) {
            holds.remove(new Key(lock, Thread.currentThread()), hold);
        }
        return left;
    }

    /** A hold's lease was lost. Each remaining unlock reports that. A thread that has ended has none. */
    void lost(Object lock, Thread thread, Hold<L> hold, LeaseLoss loss) {
        // An unlock that finds the hold ended, or gone, finds its loss.
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
            LostHolds ofThread = lostHolds.computeIfAbsent(thread, key -> new LostHolds());
            LostHold before = ofThread.remove(lock);
            ofThread.put(lock, new LostHold(count + (before == null ? 0 : before.count), loss));
        }
    }

    /** The loss of the current thread's hold, or null if there is no such hold. */
    @Nullable
    LeaseLoss loss(Object lock) {
        return loss(lock, 0);
    }

    /** Leaves the current thread's lost hold once. Returns the loss, or null if there is no such hold. */
    @Nullable
    LeaseLoss leaveLost(Object lock) {
        return loss(lock, 1);
    }

    private @Nullable LeaseLoss loss(Object lock, int leaving) {
        synchronized (lostHolds) {
            LostHolds ofThread = lostHolds.get(Thread.currentThread());
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

    /** How many holds there are, lost ones included. */
    int size() {
        synchronized (lostHolds) {
            return holds.size()
                    + lostHolds.values().stream().mapToInt(Map::size).sum();
        }
    }
}
