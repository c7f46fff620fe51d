package dev.holdfast.lock.internal.waiting;

import java.util.List;
import java.util.concurrent.CompletableFuture;
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

    /**
     * Listens to several channels as to one.
     *
     * @param channels at least one
     * @param onSignal called for each message on any of them, and whenever messages may have been missed
     * @return the subscription to all of them
     */
    default Subscription subscribeAll(List<String> channels, Runnable onSignal) {
        if (channels.size() == 1) {
            return subscribe(channels.get(0), onSignal);
        }
        List<Subscription> each =
                channels.stream().map(channel -> subscribe(channel, onSignal)).toList();
        CompletableFuture<Void> ready = CompletableFuture.allOf(each.stream()
                .map(subscription -> subscription.ready().toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new));
        return new Subscription() {
            @Override
            public CompletionStage<Void> ready() {
                return ready;
            }

            @Override
            public void cancel() {
                each.forEach(Subscription::cancel);
            }
        };
    }

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
