package dev.holdfast.lock.internal.background;

import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Handles events one after the other, in the order in which they were posted. Objects that only the handler of one queue uses need no lock, and
 * can call other code freely: an event that such a call posts is handled after the present one. A thread that posts handles at most a few events,
 * and the client's own threads handle the rest, so that no caller works for all others. A handler that throws, for example because the poster has
 * used up its stack, does not stop the events behind.
 *
 * <p>An empty queue is one field, because a client may have thousands.
 *
 * @param <E> the events
 */
public abstract class SerialQueue<E> {

    private static final LockLog LOG = LockLog.LOG;

    /** What one call does for others takes about as long as a command to Redis at most. */
    static final int MOST_AT_ONCE = 64;

    /** An event, and the one that was posted before it. */
    private static final class Posted {

        private final Object event;
        private @Nullable Posted link;

        Posted(Object event) {
            this.event = event;
        }
    }

    /** An event is being handled, and none is behind it. */
    private static final Posted NONE_BEHIND = new Posted("none");

    @SuppressWarnings("rawtypes") // A class literal has no parameters.
    private static final AtomicReferenceFieldUpdater<SerialQueue, @Nullable Posted> LATEST =
            AtomicReferenceFieldUpdater.newUpdater(SerialQueue.class, Posted.class, "latest");

    /** The event that was posted last and is not being handled yet; null if no event is being handled. */
    private volatile @Nullable Posted latest;

    /** Creates a queue of tasks that run on the client's threads only. They may block. */
    public static SerialQueue<Runnable> onOwnThreads(Executor ownThreads) {
        return new SerialQueue<>() {

            @Override
            protected void handle(Runnable task) {
                task.run();
            }

            @Override
            protected Executor ownThreads() {
                return ownThreads;
            }

            @Override
            protected boolean isHandledByPosters() {
                return false;
            }
        };
    }

    /** Handles an event. Must not block, unless only the client's threads do it. */
    protected abstract void handle(E event);

    /** The client's threads. */
    protected abstract Executor ownThreads();

    /** Whether a thread that posts also handles events. */
    protected boolean isHandledByPosters() {
        return true;
    }

    public final void post(E event) {
        if (!LATEST.compareAndSet(this, null, NONE_BEHIND) && isAddedBehindAnother(event)) {
            return;
        }
        if (isHandledByPosters()) {
            run(event);
            runSome(null, 1);
        } else {
            Posted first = new Posted(event);
            if (!movedToOwnThread(first)) {
                runSome(first, 0);
            }
        }
    }

    /** Adds an event behind the one that is being handled. If none is any more, the caller is to handle it. */
    private boolean isAddedBehindAnother(E event) {
        Posted posted = new Posted(event);
        Posted before;
        do {
            before = latest;
            posted.link = before;
        } while (!LATEST.compareAndSet(this, before, before == null ? NONE_BEHIND : posted));
        return before != null;
    }

    @SuppressWarnings("unchecked") // Only such events were posted.
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
            run((E) first.event);
        }
    }

    /** Turns the links around: from the event that was posted first to the one behind it. */
    private static Posted inOrder(Posted latest) {
        Posted first = latest;
        Posted behind = null;
        for (Posted before = first.link; before != null; before = first.link) {
            first.link = behind;
            behind = first;
            first = before;
        }
        // The walk ends at NONE_BEHIND, which is before all others.
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

    private void run(E event) {
        try {
            handle(event);
        } catch (Throwable thrown) {
            LOG.log(System.Logger.Level.ERROR, "A task of a lock client failed", thrown);
        }
    }
}
