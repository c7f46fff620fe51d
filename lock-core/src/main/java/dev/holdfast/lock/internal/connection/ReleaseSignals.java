package dev.holdfast.lock.internal.connection;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The messages of other clients. A message may get lost, arrive twice, or arrive without need. */
public interface ReleaseSignals {

    /** Stands for messages that may have been missed. */
    String MISSED = "";

    /** Returns whether this client has ever subscribed. */
    boolean areInUse();

    /** Returns whether messages of a channel arrive at present, as far as this client knows. */
    boolean isSubscribed(String channel);

    /**
     * Subscribes to a channel.
     *
     * @param place the first word of the messages to receive, or null for all messages
     * @param onMessage called for each message, and with {@link #MISSED} whenever messages may have been missed
     */
    Subscription subscribe(String channel, @Nullable String place, Consumer<String> onMessage);

    /** The subscription of one listener to a channel. */
    interface Subscription {

        /** Returns a stage that completes when messages arrive from then on, and fails if Redis refuses the subscription. */
        CompletionStage<Void> ready();

        /**
         * Ends the subscription.
         *
         * @param lingerNanos how long the channel is kept without listeners, so that the next listener needs no new subscription
         */
        void cancel(long lingerNanos);
    }
}
