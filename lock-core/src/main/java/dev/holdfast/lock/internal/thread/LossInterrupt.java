package dev.holdfast.lock.internal.thread;

import org.jspecify.annotations.Nullable;

/**
 * The interrupt of a holder that asked for one if its lease is lost. It must not hit what the thread does after it has left the lock, so it is sent
 * before anybody can learn of the loss, and whoever releases the lease waits for the report of the loss. What the holder has not noticed by then is
 * taken back: the release reports the loss.
 */
public final class LossInterrupt {

    private final @Nullable Thread holder;
    private volatile boolean sent;

    /**
     * Creates the interrupt.
     *
     * @param holder interrupted on loss; null if nobody asked for it
     */
    public LossInterrupt(@Nullable Thread holder) {
        this.holder = holder;
    }

    /** Interrupts the holder. Called once, before the loss is reported. */
    public void send() {
        // Where somebody else has interrupted it already there is nothing to add, and nothing of ours to take back.
        if (holder != null && !holder.isInterrupted()) {
            sent = true;
            holder.interrupt();
        }
    }

    /** Called by whoever releases, after the loss has been reported. Only the holder itself can take its interrupt back. */
    public void takeBack() {
        if (sent && holder == Thread.currentThread()) {
            sent = false;
            Thread.interrupted();
        }
    }
}
