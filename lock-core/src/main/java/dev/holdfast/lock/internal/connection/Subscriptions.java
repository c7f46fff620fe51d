package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.background.LockLog;
import dev.holdfast.lock.internal.background.Timer;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The channels that a client subscribes to. If a connection breaks, its channels are subscribed to again on the next one. Their listeners are then
 * signaled, because messages may have been lost. A connection that confirms no subscription in time is replaced, too.
 *
 * <p>In a cluster, sharded channels are tried first, because the other clients of the protocol publish to these. They are subscribed to at the master of
 * their slot. A server before Redis 7 does not know sharded channels, so plain channels are used there, which any node delivers.
 */
final class Subscriptions implements ReleaseSignals {

    private static final LockLog LOG = LockLog.LOG;

    private static final long RELISTEN_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final ConcurrentHashMap<String, Channel> channels = new ConcurrentHashMap<>();
    /**
     * The connections for messages. They are opened for the first channel, because many clients never wait. From then on, each is opened after a
     * connection for commands, because it must lead to the same server.
     */
    final ServerLinks<StatefulRedisPubSubConnection<String, String>> links;

    private final AtomicBoolean inUse = new AtomicBoolean();

    private final Timer timer;
    private final long confirmationNanos;
    private final KeySlots slots;
    private final boolean isCluster;
    /** Whether the server is older than Redis 7 and does not know sharded channels. */
    private volatile boolean knowsNoShards;

    private volatile boolean refusalLogged;
    private volatile boolean closed;

    Subscriptions(ConnectionOpener opener, KeySlots slots) {
        this.timer = opener.timer();
        this.confirmationNanos = opener.settings().commandTimeout().toNanos();
        this.slots = slots;
        this.isCluster = opener.nodes().isCluster();
        this.links = new ServerLinks<>(
                "notifications",
                opener,
                node -> () -> opener.nodes().openSignals(node),
                new AtomicLong(),
                (node, connection) -> takeUp(connection));
    }

    private void begin() {
        if (inUse.compareAndSet(false, true)) {
            timer.after(RELISTEN_NANOS, this::listenToAll);
        }
    }

    @Override
    public boolean areInUse() {
        return inUse.get();
    }

    /**
     * Subscribes to all channels again. The confirmations show that messages still arrive: a connection that is silent and does not end brings neither.
     * In a cluster, a slot may also have moved to another node, to which this client has not subscribed yet.
     */
    private void listenToAll() {
        if (closed) {
            return;
        }
        channels.keySet().forEach(this::listen);
        timer.after(RELISTEN_NANOS, this::listenToAll);
    }

    @Override
    public boolean isSubscribed(String channel) {
        Channel present = channels.get(channel);
        return present != null && links.isCurrent(present.connection.get());
    }

    @Override
    public Subscription subscribe(String channel, @Nullable String place, Consumer<String> onMessage) {
        boolean[] first = new boolean[1];
        Channel joined = channels.compute(channel, (name, present) -> {
            first[0] = present == null;
            Channel entered = present == null ? new Channel() : present;
            entered.add(place, onMessage);
            return entered;
        });
        if (first[0]) {
            // Subscribes only now that the entry is visible, because a connection that opens in the meantime subscribes
            // to all visible entries.
            begin();
            listen(channel);
        }
        return new Subscription() {
            @Override
            public CompletionStage<Void> ready() {
                return joined.ready;
            }

            @Override
            public void cancel(long lingerNanos) {
                if (!joined.remove(place, onMessage)) {
                    return;
                }
                if (lingerNanos > 0) {
                    linger(channel, joined, lingerNanos);
                } else {
                    end(channel, joined);
                }
            }
        };
    }

    /** Ends the channel after the given time unless it has a listener by then. */
    private void linger(String channel, Channel left, long nanos) {
        channels.computeIfPresent(channel, (name, present) -> {
            if (present == left && present.isUnused() && present.end == null && !closed) {
                present.end = timer.after(nanos, () -> end(channel, left));
            }
            return present;
        });
    }

    /** Ends the channel unless it has a listener. */
    private void end(String channel, Channel left) {
        channels.computeIfPresent(channel, (name, present) -> {
            if (present != left) {
                return present;
            }
            present.end = null;
            if (!present.isUnused()) {
                return present;
            }
            unsubscribe(name);
            return null;
        });
    }

    private void unsubscribe(String channel) {
        var connection = linkOf(channel).currentOrNull();
        if (connection != null) {
            if (isSharded()) {
                connection.async().sunsubscribe(channel);
            } else {
                connection.async().unsubscribe(channel);
            }
        }
    }

    private boolean isSharded() {
        return slots.areSeparate() && !knowsNoShards;
    }

    /** Returns the connections on which a channel's messages must arrive. */
    private ReconnectingConnection<StatefulRedisPubSubConnection<String, String>> linkOf(String channel) {
        return links.to(isSharded() ? channel : null);
    }

    /** Subscribes to a channel, now or as soon as its connection is open. */
    private void listen(String channel) {
        var link = linkOf(channel);
        var connection = link.currentOrNull();
        if (connection != null) {
            listen(connection, channel, 0);
        } else {
            link.open();
        }
    }

    /**
     * Subscribes to a channel. The command is sent inside the map's update, so that nobody joins or leaves in the meantime and the last command that
     * Redis receives matches the map. The answer is handled outside.
     */
    private void listen(StatefulRedisPubSubConnection<String, String> connection, String channel, int redirections) {
        boolean inShard = isSharded();
        List<CompletionStage<Void>> sent = new ArrayList<>(1);
        Channel entry = channels.computeIfPresent(channel, (name, present) -> {
            sent.add(
                    inShard
                            ? connection.async().ssubscribe(name)
                            : connection.async().subscribe(name));
            return present;
        });
        if (entry != null) {
            Timer.Timeout silence = timer.afterReading(confirmationNanos, () -> silent(connection));
            sent.get(0).whenComplete((ready, failure) -> {
                silence.cancel();
                if (failure == null) {
                    // If this connection has been replaced, the next one confirms as well, and so signals the
                    // listeners.
                    entry.confirmed(connection);
                } else if (inShard && RedisFailure.isUnknownCommand(failure)) {
                    knowsNoShards = true;
                    listen(channel);
                } else if (isCluster
                        && RedisFailure.isRedirection(failure)
                        && redirections < Commands.MOST_REDIRECTIONS) {
                    links.redirected(failure)
                            .connection()
                            .thenAccept(there -> listen(there, channel, redirections + 1));
                } else {
                    refused(connection, channel, entry, failure);
                }
            });
        }
    }

    /** Redis has not confirmed a subscription in the time of a command. Until the next connection is open, this client says that it does not hear. */
    private void silent(StatefulRedisPubSubConnection<String, String> connection) {
        channels.values().forEach(channel -> channel.connection.compareAndSet(connection, null));
        links.suspect(connection);
    }

    private void refused(
            StatefulRedisPubSubConnection<String, String> connection, String channel, Channel entry, Throwable thrown) {
        RedisFailure failure = RedisFailure.classify(thrown);
        if (failure.isTransient()) {
            // If the connection broke, the next one subscribes to all channels.
            timer.after(RELISTEN_NANOS, () -> {
                if (links.isCurrent(connection)) {
                    listen(channel);
                }
            });
            return;
        }
        entry.ready.completeExceptionally(failure);
        if (!refusalLogged) {
            refusalLogged = true;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Redis refuses subscriptions ({0}): waiting callers poll instead, and find a free lock later",
                    failure.getMessage());
        }
    }

    /** Subscribes to the server's channels on a new connection. Each confirmation signals the listeners, because messages may have been missed. */
    private void takeUp(StatefulRedisPubSubConnection<String, String> connection) {
        connection.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String payload) {
                received(channel, payload);
            }

            @Override
            public void smessage(String channel, String payload) {
                received(channel, payload);
            }

            @Override
            public void sunsubscribed(String channel, long count) {
                // If this client did not unsubscribe, the node has given the slot away.
                Channel entry = channels.get(channel);
                if (entry != null) {
                    entry.connection.compareAndSet(connection, null);
                    listen(channel);
                }
            }
        });
        channels.keySet().stream()
                .filter(name -> connection == linkOf(name).currentOrNull())
                .forEach(name -> listen(connection, name, 0));
    }

    private void received(String channel, String message) {
        Channel entry = channels.get(channel);
        if (entry != null) {
            entry.heard(message);
        }
    }

    void close() {
        closed = true;
        channels.keySet()
                .forEach(channel -> channels.computeIfPresent(channel, (name, present) -> {
                    if (present.end != null) {
                        present.end.cancel();
                    }
                    return present;
                }));
        links.close();
    }

    /** A channel that a client is subscribed to, with the listeners for its messages. */
    static final class Channel {

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
         * Called when the subscription is confirmed. If the messages arrived over another connection before, or the subscription was interrupted,
         * messages may have been missed, and all listeners are told so.
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
}
