package dev.holdfast.lock.internal.thread;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LogText;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * How a lease ends: released by its holder or lost, whichever comes first. One compare-and-set decides, so a holder learns of a loss exactly once
 * and never after its own release.
 *
 * <p>A loss interrupts the holder that asked for it. The interrupt must not hit what the thread does after it has left the lock. So it is sent
 * before the loss is reported, every release waits for the report, and an interrupt that the holder has not noticed by then is cleared.
 */
public final class LeaseEnding {

    private static final int HELD = 0;
    private static final int RELEASED = 1;
    private static final int LOST = 2;

    private static final AtomicIntegerFieldUpdater<LeaseEnding> PHASE =
            AtomicIntegerFieldUpdater.newUpdater(LeaseEnding.class, "phase");
    private static final AtomicIntegerFieldUpdater<LeaseEnding> RELEASE_ASKED =
            AtomicIntegerFieldUpdater.newUpdater(LeaseEnding.class, "releaseAsked");

    private final String lockName;
    private final @Nullable Thread interrupted;
    private volatile int phase;
    private volatile int releaseAsked;

    /** Both only once somebody asks for them: most leases are held, and released, without. */
    private volatile @Nullable CompletableFuture<LeaseLoss> loss;

    private volatile @Nullable CompletableFuture<Void> released;
    private volatile boolean interruptSent;

    /**
     * Creates the ending of a lease that is held.
     *
     * @param interrupted the thread to interrupt on a loss; null if none
     */
    public LeaseEnding(String lockName, @Nullable Thread interrupted) {
        this.lockName = lockName;
        this.interrupted = interrupted;
    }

    /** Whether the lease is neither released nor lost. Its time may be over all the same. */
    public boolean isLive() {
        return phase == HELD;
    }

    /** Notes that the holder asks for the release. Returns false if it has asked before. */
    public boolean askRelease() {
        return RELEASE_ASKED.compareAndSet(this, 0, 1);
    }

    public boolean isReleaseAsked() {
        return releaseAsked != 0;
    }

    /** Ends the lease as released. Returns false if it has ended already. */
    public boolean release() {
        return PHASE.compareAndSet(this, HELD, RELEASED);
    }

    /** Ends the lease as lost, interrupts the holder, then runs the report. Returns false, and does neither, if the lease has ended already. */
    public boolean lose(Runnable report) {
        if (!PHASE.compareAndSet(this, HELD, LOST)) {
            return false;
        }
        try {
            // If the thread is interrupted already, there is nothing to add and nothing to clear later.
            if (interrupted != null && !interrupted.isInterrupted()) {
                interruptSent = true;
                interrupted.interrupt();
            }
        } finally {
            report.run();
        }
        return true;
    }

    /** Reports the loss. A release that finds the lock gone reports one, too. Returns false if a loss was reported before. */
    public boolean report(LeaseLoss lost) {
        return loss().complete(lost);
    }

    public CompletableFuture<LeaseLoss> loss() {
        CompletableFuture<LeaseLoss> present = loss;
        return present == null ? firstLoss() : present;
    }

    private synchronized CompletableFuture<LeaseLoss> firstLoss() {
        CompletableFuture<LeaseLoss> first = loss == null ? new CompletableFuture<>() : loss;
        loss = first;
        return first;
    }

    public CompletableFuture<Void> released() {
        CompletableFuture<Void> present = released;
        return present == null ? firstReleased() : present;
    }

    private synchronized CompletableFuture<Void> firstReleased() {
        CompletableFuture<Void> first = released == null ? new CompletableFuture<>() : released;
        released = first;
        return first;
    }

    /** Waits for the report if the lease was lost, and clears an interrupt that the current thread has not noticed. Returns whether it was lost. */
    public boolean awaitReportOfLoss() {
        if (phase != LOST) {
            return false;
        }
        loss().join();
        if (interruptSent && interrupted == Thread.currentThread()) {
            interruptSent = false;
            Thread.interrupted();
        }
        return true;
    }

    /** Why a call that needs the lease cannot have it. */
    public IllegalMonitorStateException notHeld() {
        // The thread that ended the lease is about to report why.
        LeaseLoss lost = phase == LOST ? loss().join() : loss().getNow(null);
        return lost != null
                ? new LeaseLostException(lost)
                : new IllegalMonitorStateException(
                        "The lease on lock '" + LogText.escape(lockName) + "' was already released");
    }
}
