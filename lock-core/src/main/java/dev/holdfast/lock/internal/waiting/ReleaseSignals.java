package dev.holdfast.lock.internal.waiting;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Messages of other clients. They may get lost, come twice, or come for nothing. */
@FunctionalInterface
public interface ReleaseSignals {

    /** In place of a message: some may have been missed. */
    String MISSED = "";

    /**
     * Listens to a channel.
     *
     * @param channel its name
     * @param onMessage called for each message, and with {@link #MISSED} whenever some may have been missed
     * @return the subscription
     */
    Subscription subscribe(String channel, Consumer<String> onMessage);

    /** One listener's hold on a channel. */
    interface Subscription {

        /**
         * Completes when messages arrive from here on; fails if Redis refuses the subscription.
         *
         * @return the confirmation
         */
        CompletionStage<Void> ready();

        /** Listens no longer. */
        void cancel();
    }
}
