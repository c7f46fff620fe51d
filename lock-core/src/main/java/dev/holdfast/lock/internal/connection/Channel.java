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

/** A channel that a client listens to, and who hears its messages. */
final class Channel {

    /** In place of a node: a plain channel is heard from any. */
    static final String ANY_NODE = "";

    final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();
    /** Those who hear only what begins with their word: thousands may wait on one channel. */
    final Map<String, Consumer<String>> places = new ConcurrentHashMap<>();

    final CompletableFuture<Void> ready = new CompletableFuture<>();
    /** The node that sends the messages; null while none does. */
    final AtomicReference<@Nullable String> node = new AtomicReference<>();

    /** When the channel ends unless somebody listens again. */
    Timer.@Nullable Timeout end;

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

    /** A repeated confirmation by the same node is of a channel that was subscribed all the time. Any other is a reason to ask. */
    void confirmed(String byNode) {
        String before = node.getAndSet(byNode);
        if (!ready.complete(null) && !byNode.equals(before)) {
            missed();
        }
    }

    private void missed() {
        places.values().forEach(place -> place.accept(ReleaseSignals.MISSED));
        listeners.forEach(listener -> listener.accept(ReleaseSignals.MISSED));
    }
}
