package dev.holdfast.lock.simulation.process;

import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisFailure.Kind;
import dev.holdfast.lock.internal.connection.ReleaseSignals;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The channels of a client and their listeners. It does what {@code Subscriptions} does with a real connection. */
public final class MessageChannels implements ReleaseSignals {

    /** Sends the client's wishes to the server. */
    public interface Connection {

        /** Asks for the messages of a channel. The answer is {@link #confirmed} or {@link #refused}. */
        void listen(String channel);

        /** Asks for no more messages of a channel. */
        void leave(String channel);
    }

    private static final class Channel {
        private final List<Consumer<String>> listeners = new ArrayList<>();
        private final Map<String, Consumer<String>> places = new LinkedHashMap<>();
        private final CompletableFuture<Void> ready = new CompletableFuture<>();
        /** Whether the server has confirmed this channel on the present connection. */
        private boolean confirmed;

        private Timer.@Nullable Timeout end;

        boolean isUnused() {
            return listeners.isEmpty() && places.isEmpty();
        }

        void heard(String message) {
            int end = message.indexOf(' ');
            Consumer<String> place = places.get(end < 0 ? message : message.substring(0, end));
            if (place != null) {
                place.accept(message);
            }
            List.copyOf(listeners).forEach(listener -> listener.accept(message));
        }

        void missed() {
            List.copyOf(places.values()).forEach(place -> place.accept(MISSED));
            List.copyOf(listeners).forEach(listener -> listener.accept(MISSED));
        }
    }

    private final Map<String, Channel> channels = new LinkedHashMap<>();
    private final Timer timer;
    private final Connection connection;
    private boolean closed;

    /** Creates the channels of a client that listens to none yet. */
    public MessageChannels(Timer timer, Connection connection) {
        this.timer = timer;
        this.connection = connection;
    }

    @Override
    public boolean areInUse() {
        return true;
    }

    @Override
    public boolean isSubscribed(String channel) {
        Channel present = channels.get(channel);
        return present != null && present.confirmed;
    }

    @Override
    public Subscription subscribe(String channel, @Nullable String place, Consumer<String> onMessage) {
        Channel present = channels.get(channel);
        Channel joined = present == null ? new Channel() : present;
        if (place == null) {
            joined.listeners.add(onMessage);
        } else {
            joined.places.put(place, onMessage);
        }
        if (present == null) {
            channels.put(channel, joined);
            connection.listen(channel);
        }
        return new Subscription() {
            @Override
            public CompletionStage<Void> ready() {
                return joined.ready;
            }

            @Override
            public void cancel(long lingerNanos) {
                if (place == null) {
                    joined.listeners.remove(onMessage);
                } else {
                    joined.places.remove(place, onMessage);
                }
                if (joined.isUnused() && lingerNanos > 0) {
                    linger(channel, joined, lingerNanos);
                } else if (joined.isUnused()) {
                    end(channel, joined);
                }
            }
        };
    }

    private void linger(String channel, Channel left, long nanos) {
        if (channels.get(channel) == left && left.end == null && !closed) {
            left.end = timer.after(nanos, () -> end(channel, left));
        }
    }

    private void end(String channel, Channel left) {
        if (channels.get(channel) != left) {
            return;
        }
        left.end = null;
        if (left.isUnused()) {
            channels.remove(channel);
            connection.leave(channel);
        }
    }

    /** Returns the names of all channels. */
    public List<String> names() {
        return List.copyOf(channels.keySet());
    }

    /** Called when the server's confirmation has arrived. */
    public void confirmed(String name) {
        Channel channel = channels.get(name);
        if (channel != null) {
            channel.confirmed = true;
            if (!channel.ready.complete(null)) {
                channel.missed();
            }
        }
    }

    /** Called when the server's refusal has arrived. */
    public void refused(String name) {
        Channel channel = channels.get(name);
        if (channel != null) {
            channel.ready.completeExceptionally(RedisFailure.simulated(Kind.REFUSED, "NOPERM no right to subscribe"));
        }
    }

    /** Called when a message has arrived. */
    public void heard(String name, String message) {
        Channel channel = channels.get(name);
        if (channel != null) {
            channel.heard(message);
        }
    }

    /** Called when the connection has ended. */
    public void interrupted() {
        channels.values().forEach(channel -> channel.confirmed = false);
    }

    /** Called when the client closes. */
    public void close() {
        closed = true;
        channels.values().forEach(channel -> {
            if (channel.end != null) {
                channel.end.cancel();
            }
        });
    }
}
