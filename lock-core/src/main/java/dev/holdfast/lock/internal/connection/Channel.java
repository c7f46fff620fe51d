package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.waiting.ReleaseSignals;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A channel that a client is subscribed to, with the listeners for its messages. */
final class Channel {

    private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();
    /**
     * The listeners by the name of their place. Such a listener receives only messages that begin with this name, because thousands may wait on one
     * channel.
     */
    private final Map<String, Consumer<String>> places = new ConcurrentHashMap<>();

    final CompletableFuture<Void> ready = new CompletableFuture<>();
    /** The connection over which the messages arrive, unless it has ended, or null while it is not known to bring any. */
    final AtomicReference<@Nullable Object> connection = new AtomicReference<>();

    /** The timeout after which the channel ends unless it has a listener again. */
    Timer.@Nullable Timeout end;

    /** Adds a listener, for all messages if it has no place. */
    void add(@Nullable String place, Consumer<String> listener) {
        if (place == null) {
            listeners.add(listener);
        } else {
            places.put(place, listener);
        }
    }

    /** Removes a listener, and returns whether the channel has no other one. */
    boolean remove(@Nullable String place, Consumer<String> listener) {
        if (place == null) {
            listeners.remove(listener);
        } else {
            places.remove(place, listener);
        }
        return isUnused();
    }

    boolean isUnused() {
        return listeners.isEmpty() && places.isEmpty();
    }

    void heard(String message) {
        int end = message.indexOf(' ');
        Consumer<String> place = places.get(end < 0 ? message : message.substring(0, end));
        if (place != null) {
            place.accept(message);
        }
        listeners.forEach(listener -> listener.accept(message));
    }

    /**
     * Called when the subscription is confirmed. If the messages arrived over another connection before, or the subscription was interrupted, messages
     * may have been missed, and all listeners are told so.
     */
    void confirmed(Object over) {
        Object before = connection.getAndSet(over);
        if (!ready.complete(null) && over != before) {
            missed();
        }
    }

    private void missed() {
        places.values().forEach(place -> place.accept(ReleaseSignals.MISSED));
        listeners.forEach(listener -> listener.accept(ReleaseSignals.MISSED));
    }
}
