package dev.holdfast.lock.internal.background;

import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Handles events one after another, in the order in which they were posted. Objects that only the handler of one queue uses need no lock. They may
 * also call any other code: an event that such a call posts is handled after the present one. A thread that posts handles at most a few events. The
 * client's own threads handle the rest, so that one caller does not work for all others. A handler that throws, for example because the posting
 * thread has used up its stack, does not stop later events.
 *
 * <p>An empty queue consists of one field, because a client may have thousands of queues.
 */
public abstract class SerialQueue {

    private static final LockLog LOG = LockLog.LOG;

    /** The largest number of events that one posting thread handles. Handling them takes at most about as long as a command to Redis. */
    static final int MOST_AT_ONCE = 64;

    /** An event, linked to the event that was posted before it. */
    private static final class Posted {

        private final Runnable event;
        private @Nullable Posted link;

        Posted(Runnable event) {
            this.event = event;
        }
    }

    /** A marker: an event is being handled, and no event is behind it. */
    private static final Posted NONE_BEHIND = new Posted(() -> {});

    private static final AtomicReferenceFieldUpdater<SerialQueue, @Nullable Posted> LATEST =
            AtomicReferenceFieldUpdater.newUpdater(SerialQueue.class, Posted.class, "latest");

    /** The last posted event that is not being handled yet. {@link #NONE_BEHIND} if there is none, and null if no event is being handled at all. */
    private volatile @Nullable Posted latest;

    /** Handles an event. Must not block. */
    protected abstract void handle(Runnable event);

    /** Returns the client's threads. */
    protected abstract Executor ownThreads();

    public final void post(Runnable event) {
        if (!LATEST.compareAndSet(this, null, NONE_BEHIND) && isAddedBehindAnother(event)) {
            return;
        }
        run(event);
        runSome(null, 1);
    }

    /**
     * Adds an event behind the event that is being handled, and returns true. Returns false if no event is being handled any more; the calling thread
     * must then handle the event.
     */
    private boolean isAddedBehindAnother(Runnable event) {
        Posted posted = new Posted(event);
        Posted before;
        do {
            before = latest;
            posted.link = before;
        } while (!LATEST.compareAndSet(this, before, before == null ? NONE_BEHIND : posted));
        return before != null;
    }

    private void runSome(@Nullable Posted taken, int already) {
        Posted next = taken;
        for (int some = already; ; some++) {
            if (next == null) {
                if (LATEST.compareAndSet(this, NONE_BEHIND, null)) {
                    return;
                }
                next = inOrder(Objects.requireNonNull(LATEST.getAndSet(this, NONE_BEHIND)));
            }
            Posted first = next;
            if (some == MOST_AT_ONCE && movedToOwnThread(first)) {
                return;
            }
            next = first.link;
            run(first.event);
        }
    }

    /** Reverses the links, so that they lead from the event that was posted first to the later ones. */
    private static Posted inOrder(Posted latest) {
        Posted first = latest;
        Posted behind = null;
        for (Posted before = first.link; before != null; before = first.link) {
            first.link = behind;
            behind = first;
            first = before;
        }
        // The loop ends at NONE_BEHIND, which precedes all events.
        return Objects.requireNonNull(behind);
    }

    private boolean movedToOwnThread(Posted first) {
        try {
            ownThreads().execute(() -> runSome(first, 0));
            return true;
        } catch (RejectedExecutionException closed) {
            return false;
        }
    }

    private void run(Runnable event) {
        try {
            handle(event);
        } catch (Throwable thrown) {
            LOG.log(System.Logger.Level.ERROR, "A task of a lock client failed", thrown);
        }
    }
}
