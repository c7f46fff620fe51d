package dev.holdfast.lock.explore;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * A blocking call on its own thread. The call and the situation take turns: only one of them runs at a time. The number of waits tells where the call
 * stands.
 */
final class Blocked {

    /** Ends a call whose situation is not needed any more. */
    private static final class Dropped extends Error {
        private static final long serialVersionUID = 1L;

        Dropped() {
            super("dropped", null, false, false);
        }
    }

    private final Semaphore turn = new Semaphore(0);
    private final Semaphore situationsTurn = new Semaphore(0);
    private boolean dropped;
    private boolean ended;

    @SuppressWarnings("UnusedVariable") // The digest reads it: it says where the call waits.
    private int waits;

    @SuppressWarnings("UnusedVariable") // The digest reads it: it says for what the call waits.
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
            if (thrown != null) {
                throw new IllegalStateException("A call that blocks has failed", thrown);
            }
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

    void drop() {
        dropped = true;
        goOn();
    }
}
