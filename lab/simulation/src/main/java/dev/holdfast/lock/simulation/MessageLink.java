package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisFailure.Kind;
import dev.holdfast.lock.internal.waiting.ReleaseSignals;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The connection for messages, and its listeners. It simulates what {@code Subscriptions} does with a real connection. */
final class MessageLink extends Link implements ReleaseSignals, Subscriber {

    private static final long NOTICED_LATER = TimeUnit.SECONDS.toNanos(5);

    private static final class Channel {
        final List<Consumer<String>> listeners = new ArrayList<>();
        final Map<String, Consumer<String>> places = new LinkedHashMap<>();
        final CompletableFuture<Void> ready = new CompletableFuture<>();
        /** The number of the connection on which the server last confirmed this channel. */
        int confirmedOn = -1;

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
            List.copyOf(listeners).forEach(listener -> listener.accept(message));
        }

        void missed() {
            List.copyOf(places.values()).forEach(place -> place.accept(MISSED));
            List.copyOf(listeners).forEach(listener -> listener.accept(MISSED));
        }
    }

    private final Map<String, Channel> channels = new LinkedHashMap<>();
    private final Timer timer;

    /** Whether the client's user is permitted to subscribe to channels. */
    private final boolean subscribes;

    MessageLink(Network network, ConnectionSettings settings, Timer timer, boolean subscribes) {
        super(network, settings);
        this.subscribes = subscribes;
        this.timer = timer;
    }

    @Override
    public boolean isSubscribed(String channel) {
        Channel present = channels.get(channel);
        return present != null && open && present.confirmedOn == number;
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
            listen(channel);
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
            if (open && !isDeaf()) {
                int over = number;
                world().planAt(network.server, arrival(), () -> {
                    if (over == number) {
                        network.server.unsubscribe(channel, this);
                    }
                });
            }
        }
    }

    private void listen(String channel) {
        if (!open || isDeaf()) {
            return;
        }
        int over = number;
        world().planAt(network.server, arrival(), () -> {
            if (over == number && open && !isDeaf() && !subscribes) {
                world().planAt(network.process, replyArrival(), () -> refused(over, channel));
            } else if (over == number && open && !isDeaf()) {
                network.server.subscribe(channel, this);
                world().planAt(network.process, replyArrival(), () -> confirmed(over, channel));
            }
        });
    }

    private void refused(int over, String channel) {
        Channel entry = channels.get(channel);
        if (over == number && open && entry != null) {
            entry.ready.completeExceptionally(RedisFailure.simulated(Kind.REFUSED, "NOPERM no right to subscribe"));
        }
    }

    private void confirmed(int over, String channel) {
        Channel entry = channels.get(channel);
        if (over == number && open && entry != null) {
            entry.confirmedOn = over;
            if (!entry.ready.complete(null)) {
                entry.missed();
            }
        }
    }

    /** Returns whether there is a listener, and not only a channel that is kept for a while. */
    boolean isUsed() {
        return channels.values().stream().anyMatch(channel -> !channel.isUnused());
    }

    /** Sends a message. It is lost if the connection is half open or the network is split. */
    @Override
    public void send(String channel, String message) {
        if (!open || isDeaf()) {
            return;
        }
        int over = number;
        world().planAt(network.process, replyArrival(), () -> {
            Channel entry = channels.get(channel);
            if (over == number && open && entry != null) {
                Tracer tracer = world().tracer;
                if (tracer != null) {
                    tracer.heard(network.process, message);
                }
                entry.heard(message);
            }
        });
    }

    @Override
    void opened() {
        network.server.forget(this);
        List.copyOf(channels.keySet()).forEach(this::listen);
    }

    @Override
    void ended() {
        number++;
        if (isDeaf()) {
            // The server continues to send messages to it for a while.
            int over = number;
            world().plan(network.server, NOTICED_LATER, () -> {
                if (over == number) {
                    network.server.forget(this);
                }
            });
        } else {
            network.server.forget(this);
        }
    }

    @Override
    public void close() {
        channels.values().forEach(channel -> {
            if (channel.end != null) {
                channel.end.cancel();
            }
        });
        if (open) {
            open = false;
            ended();
        }
        closed = true;
    }
}
