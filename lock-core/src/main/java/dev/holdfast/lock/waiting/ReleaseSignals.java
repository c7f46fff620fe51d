package dev.holdfast.lock.waiting;

import java.util.concurrent.CompletionStage;

/** Tells when a lock was released somewhere. Only ever a hint: signals may get lost, come twice, or come for nothing. */
@FunctionalInterface
public interface ReleaseSignals {

    /**
     * Listens to a channel.
     *
     * @param channel the lock's channel
     * @param onSignal called for each message, and whenever messages may have been missed
     * @return the subscription
     */
    Subscription subscribe(String channel, Runnable onSignal);

    /** One listener's hold on a channel. */
    interface Subscription {

        /**
         * Completes when messages arrive from here on; fails if they cannot be had.
         *
         * @return the confirmation
         */
        CompletionStage<Void> ready();

        /** Listens no longer. */
        void cancel();
    }
}
