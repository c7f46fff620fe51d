package dev.holdfast.lock.explore;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * A call that blocks. It has a thread of its own, but only one thread goes on at a time: the call until it waits, or the situation. Where the call
 * waits is known by the number of its waits.
 */
final class Blocked {

    /** Ends a call whose situation is not needed any more. */
    private static final class Dropped extends Error {
        private static final long serialVersionUID = 1L;

        Dropped() {
            super("dropped", null, false, false);
        }
    }

    private final transient Semaphore turn = new Semaphore(0);
    private final transient Semaphore situationsTurn = new Semaphore(0);
    private boolean dropped;
    private boolean ended;

    @SuppressWarnings("UnusedVariable") // The digest reads it: it says where the call waits.
    private int waits;

    @SuppressWarnings("UnusedVariable") // The digest reads it.
    private @Nullable CompletableFuture<?> awaited;

    private @Nullable Throwable thrown;

    /** Begins the call, and returns when it waits or has ended. */
    void start(Runnable body) {
        Thread thread = new Thread(
                () -> {
                    turn.acquireUninterruptibly();
                    try {
                        body.run();
                    } catch (Dropped over) {
                        // Nobody waits for the result.
                    } catch (Throwable failure) {
                        thrown = failure;
                    } finally {
                        ended = true;
                        situationsTurn.release();
                    }
                },
                "blocked");
        thread.setDaemon(true);
        thread.start();
        goOn();
    }

    /** Continues the call until it waits again or has ended. */
    void goOn() {
        if (!ended) {
            turn.release();
            situationsTurn.acquireUninterruptibly();
        }
    }

    /** Called by the call itself: passes control back to the situation. */
    void await(CompletableFuture<?> future) {
        waits++;
        awaited = future;
        situationsTurn.release();
        turn.acquireUninterruptibly();
        awaited = null;
        if (dropped) {
            throw new Dropped();
        }
    }

    boolean hasEnded() {
        return ended;
    }

    /** Returns what the call has thrown; null if nothing. */
    @Nullable
    Throwable thrown() {
        return thrown;
    }

    void drop() {
        dropped = true;
        goOn();
    }
}
