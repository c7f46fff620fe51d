package dev.holdfast.lock.internal.thread;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LogText;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * How a lease ends: released by its holder or lost, whichever comes first. One compare-and-set decides, so a holder learns of a loss exactly once
 * and never after its own release.
 *
 * <p>A loss interrupts the holder that asked for it. The interrupt must not hit what the thread does after it has left the lock. So it is sent
 * before the loss is reported, every release waits for the report, and an interrupt that the holder has not noticed by then is cleared.
 */
public final class LeaseEnding {

    private enum Phase {
        HELD,
        RELEASED,
        LOST
    }

    private final String lockName;
    private final @Nullable Thread interrupted;
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.HELD);
    private final AtomicBoolean releaseAsked = new AtomicBoolean();
    private final CompletableFuture<LeaseLoss> loss = new CompletableFuture<>();
    private final CompletableFuture<Void> released = new CompletableFuture<>();
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
        return phase.get() == Phase.HELD;
    }

    /** Notes that the holder asks for the release. Returns false if it has asked before. */
    public boolean askRelease() {
        return releaseAsked.compareAndSet(false, true);
    }

    public boolean isReleaseAsked() {
        return releaseAsked.get();
    }

    /** Ends the lease as released. Returns false if it has ended already. */
    public boolean release() {
        return phase.compareAndSet(Phase.HELD, Phase.RELEASED);
    }

    /** Ends the lease as lost, interrupts the holder, then runs the report. Returns false, and does neither, if the lease has ended already. */
    public boolean lose(Runnable report) {
        if (!phase.compareAndSet(Phase.HELD, Phase.LOST)) {
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
        return loss.complete(lost);
    }

    public CompletableFuture<LeaseLoss> loss() {
        return loss;
    }

    public CompletableFuture<Void> released() {
        return released;
    }

    /** Waits for the report if the lease was lost, and clears an interrupt that the current thread has not noticed. Returns whether it was lost. */
    public boolean awaitReportOfLoss() {
        if (phase.get() != Phase.LOST) {
            return false;
        }
        loss.join();
        if (interruptSent && interrupted == Thread.currentThread()) {
            interruptSent = false;
            Thread.interrupted();
        }
        return true;
    }

    /** Why a call that needs the lease cannot have it. */
    public IllegalMonitorStateException notHeld() {
        // The thread that ended the lease is about to report why.
        LeaseLoss lost = phase.get() == Phase.LOST ? loss.join() : loss.getNow(null);
        return lost != null
                ? new LeaseLostException(lost)
                : new IllegalMonitorStateException(
                        "The lease on lock '" + LogText.escape(lockName) + "' was already released");
    }
}
