package dev.holdfast.lock.internal.thread;

import dev.holdfast.lock.LeaseLoss;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * How often each thread holds each lock. Only the outermost hold has a lease; nested ones are counted. A hold whose lease was lost is kept
 * separately, so the thread can acquire the lock again.
 *
 * @param <L> the lease of an outermost hold
 */
public final class ThreadHolds<L> {

    private record Key(Object lock, Thread thread) {}

    /** What an unlock ended. */
    enum Exit {
        NESTED,
        OUTERMOST,
        LOST
    }

    /** One thread's hold on one lock. Only that thread enters and leaves it; any thread that learns of the loss ends it. */
    public static final class Hold<L> {

        private final L lease;
        private int count = 1;
        private boolean over;

        Hold(L lease) {
            this.lease = lease;
        }

        /** The lease that all of the thread's entries share. */
        public L lease() {
            return lease;
        }

        synchronized int count() {
            return over ? 0 : count;
        }

        /** Enters once more. Returns false if the lease was lost in the meantime. */
        synchronized boolean enter() {
            if (!over) {
                count++;
            }
            return !over;
        }

        synchronized Exit leave() {
            if (over) {
                return Exit.LOST;
            }
            count--;
            over = count == 0;
            return over ? Exit.OUTERMOST : Exit.NESTED;
        }

        /** Ends the hold. Returns how many entries are left; none if it had ended before. */
        synchronized int end() {
            int left = over ? 0 : count;
            over = true;
            return left;
        }
    }

    private final ConcurrentHashMap<Key, Hold<L>> holds = new ConcurrentHashMap<>();
    private final LostHolds lostHolds = new LostHolds();

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

    /** Leaves the current thread's hold once. */
    Exit leave(Object lock, Hold<L> hold) {
        Exit exit = hold.leave();
        if (exit == Exit.OUTERMOST) {
            holds.remove(new Key(lock, Thread.currentThread()), hold);
        }
        return exit;
    }

    /** A hold's lease was lost. Each remaining unlock reports that. A thread that has ended has none. */
    void lost(Object lock, Thread thread, Hold<L> hold, LeaseLoss loss) {
        // An unlock that finds the hold ended, or gone, finds its loss.
        synchronized (hold) {
            int left = hold.end();
            if (left > 0 && thread.isAlive()) {
                lostHolds.add(thread, lock, left, loss);
            }
        }
        holds.remove(new Key(lock, thread), hold);
    }

    /** Leaves the current thread's lost hold once. Returns the loss, or null if there is no such hold. */
    @Nullable
    LeaseLoss leaveLost(Object lock) {
        return lostHolds.leave(Thread.currentThread(), lock);
    }

    /** The loss of the current thread's hold, or null if there is no such hold. */
    @Nullable
    LeaseLoss loss(Object lock) {
        return lostHolds.find(Thread.currentThread(), lock);
    }

    /** How many holds there are, lost ones included. */
    int size() {
        return holds.size() + lostHolds.size();
    }
}
