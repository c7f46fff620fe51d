package dev.holdfast.lock.test.memory;

import dev.holdfast.lock.internal.connection.ReleaseSignals;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Channels for messages between clients. Messages arrive in order, on a thread of the server. */
final class Channels implements ReleaseSignals, Messages {

    private record Listener(@Nullable String place, Consumer<String> onMessage) {

        void hear(String message) {
            if (place == null || message.equals(place) || message.startsWith(place + " ")) {
                onMessage.accept(message);
            }
        }
    }

    private final Map<String, List<Listener>> listeners = new ConcurrentHashMap<>();
    private final Executor delivery;

    Channels(Executor delivery) {
        this.delivery = delivery;
    }

    @Override
    public long publish(String channel, String message) {
        List<Listener> present = List.copyOf(listeners.getOrDefault(channel, List.of()));
        if (!present.isEmpty()) {
            delivery.execute(() -> present.forEach(listener -> listener.hear(message)));
        }
        return present.size();
    }

    /** Makes every waiter ask again, as after a lost connection. */
    void wakeAll() {
        listeners
                .values()
                .forEach(present -> present.forEach(listener ->
                        delivery.execute(() -> listener.hear(listener.place == null ? "0" : listener.place))));
    }

    @Override
    public long listeners(String channel) {
        return listeners.getOrDefault(channel, List.of()).size();
    }

    /** Returns the channels that have listeners. */
    List<String> names() {
        return listeners.entrySet().stream()
                .filter(channel -> !channel.getValue().isEmpty())
                .map(Map.Entry::getKey)
                .toList();
    }

    @Override
    public boolean areInUse() {
        return true;
    }

    @Override
    public boolean isSubscribed(String channel) {
        return listeners(channel) > 0;
    }

    @Override
    public Subscription subscribe(String channel, @Nullable String place, Consumer<String> onMessage) {
        Listener listener = new Listener(place, onMessage);
        listeners.computeIfAbsent(channel, name -> new CopyOnWriteArrayList<>()).add(listener);
        return new Subscription() {
            @Override
            public CompletionStage<Void> ready() {
                return CompletableFuture.completedFuture(null);
            }

            @Override
            public void cancel(long lingerNanos) {
                listeners.computeIfPresent(channel, (name, present) -> {
                    present.remove(listener);
                    return present.isEmpty() ? null : present;
                });
            }
        };
    }
}
