package dev.holdfast.lock.internal.waiting;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Messages of other clients. They may get lost, come twice, or come for nothing. */
public interface ReleaseSignals {

    /** In place of a message: some may have been missed. */
    String MISSED = "";

    /** Whether messages of a channel arrive at present, as far as this client knows. */
    boolean isSubscribed(String channel);

    /**
     * Listens to a channel.
     *
     * @param place the first word of the messages that are heard; null for all messages
     * @param onMessage called for each message, and with {@link #MISSED} whenever some may have been missed
     */
    Subscription subscribe(String channel, @Nullable String place, Consumer<String> onMessage);

    /** One listener's hold on a channel. */
    interface Subscription {

        /** Completes when messages arrive from here on; fails if Redis refuses the subscription. */
        CompletionStage<Void> ready();

        /**
         * Listens no longer.
         *
         * @param lingerNanos for how long the channel is kept if nobody else listens: the next listener then needs no subscription
         */
        void cancel(long lingerNanos);
    }
}
