package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.background.LockLog;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.waiting.ReleaseSignals;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.pubsub.RedisClusterPubSubAdapter;
import io.lettuce.core.cluster.pubsub.StatefulRedisClusterPubSubConnection;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The channels that a client subscribes to, over one connection. If the connection breaks, the channels are subscribed to again on the next one. All
 * listeners are then signaled, because messages may have been lost. A connection that confirms no subscription in time is replaced, too.
 *
 * <p>In a cluster, sharded channels are tried first, because the other clients of the protocol publish to these. A server before Redis 7 does not
 * know sharded channels, so plain channels are used there.
 */
final class Subscriptions implements ReleaseSignals {

    private static final LockLog LOG = LockLog.LOG;

    private static final long RELISTEN_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long RECONNECT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final ConcurrentHashMap<String, Channel> channels = new ConcurrentHashMap<>();
    /**
     * The connection for messages. It is opened for the first channel, because many clients never wait. From then on, it is opened after each
     * connection for commands, because it must lead to the same server.
     */
    private final ReconnectingConnection<StatefulRedisPubSubConnection<String, String>> link;

    private final AtomicBoolean inUse = new AtomicBoolean();

    private final Timer timer;
    private final long confirmationNanos;
    private final AtomicBoolean listeningAgain = new AtomicBoolean();
    private final KeySlots slots;
    /** Whether the server is older than Redis 7 and does not know sharded channels. */
    private volatile boolean knowsNoShards;

    private volatile boolean refusalLogged;
    private volatile boolean closed;

    Subscriptions(
            ConnectionOpener opener,
            Callable<StatefulRedisPubSubConnection<String, String>> connect,
            boolean isCluster,
            KeySlots slots) {
        this.timer = opener.timer();
        this.confirmationNanos = opener.settings().commandTimeout().toNanos();
        this.slots = slots;
        this.link = opener.open("notifications", connect, isCluster, this::takeUp);
    }

    private void begin() {
        if (inUse.compareAndSet(false, true)) {
            link.replace();
            timer.after(RELISTEN_NANOS, this::listenToAll);
        }
    }

    /** Replaces the connection, because the one for commands may lead to another server now. */
    void replace() {
        if (inUse.get()) {
            link.replace();
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

    /**
     * Called when a connection to a node of a cluster is open, for the first time or again. Subscribes to all channels again, because Lettuce does so
     * with a single command, which the node refuses if the channels have different slots.
     */
    void listenAgain() {
        if (listeningAgain.compareAndSet(false, true)) {
            // Runs on the client's own thread, and only once if several nodes return together.
            timer.after(RECONNECT_PAUSE_NANOS, () -> {
                listeningAgain.set(false);
                channels.keySet().forEach(this::listen);
            });
        }
    }

    @Override
    public boolean isSubscribed(String channel) {
        Channel present = channels.get(channel);
        return present != null && present.node.get() != null && link.currentOrNull() != null;
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
        var connection = link.currentOrNull();
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

    private void listen(String channel) {
        var connection = link.currentOrNull();
        if (connection != null) {
            listen(connection, channel);
        }
    }

    /**
     * Subscribes to a channel. The command is sent inside the map's update, so that nobody joins or leaves in the meantime and the last command that
     * Redis receives matches the map. The answer is handled outside.
     */
    private void listen(StatefulRedisPubSubConnection<String, String> connection, String channel) {
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
                if (failure == null && inShard && connection instanceof StatefulRedisClusterPubSubConnection) {
                    // Waits for the event that confirms the subscription, because only the event names the node.
                    return;
                } else if (failure == null) {
                    // A connection that has been replaced may have ended after this confirmation.
                    if (connection == link.currentOrNull()) {
                        entry.confirmed(Channel.ANY_NODE);
                    }
                } else if (inShard && RedisFailure.isUnknownCommand(failure)) {
                    knowsNoShards = true;
                    listen(connection, channel);
                } else {
                    refused(connection, channel, entry, failure);
                }
            });
        }
    }

    /** Redis has not confirmed a subscription in the time of a command. Until the next connection is open, this client says that it does not hear. */
    private void silent(StatefulRedisPubSubConnection<String, String> connection) {
        if (connection == link.currentOrNull()) {
            lost();
            link.suspect(connection);
        }
    }

    private void refused(
            StatefulRedisPubSubConnection<String, String> connection, String channel, Channel entry, Throwable thrown) {
        RedisFailure failure = RedisFailure.classify(thrown);
        if (failure.isTransient()) {
            // If the connection broke, the next one subscribes to all channels.
            timer.after(RELISTEN_NANOS, () -> {
                if (connection == link.currentOrNull()) {
                    listen(connection, channel);
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

    /** Called when a signal connection has ended or is silent. Its node is not known, so all channels count as interrupted until they are confirmed again. */
    void lost() {
        channels.values().forEach(channel -> channel.node.set(null));
    }

    /** Subscribes to all channels on a new connection. Each confirmation signals the listeners, because messages may have been missed. */
    private void takeUp(StatefulRedisPubSubConnection<String, String> connection) {
        lost();
        if (connection instanceof StatefulRedisClusterPubSubConnection<String, String> cluster) {
            cluster.addListener(new RedisClusterPubSubAdapter<>() {
                @Override
                public void ssubscribed(RedisClusterNode node, String channel, long count) {
                    confirmed(channel, node.getNodeId());
                }
            });
        }
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
                    entry.node.set(null);
                    listen(connection, channel);
                }
            }
        });
        channels.keySet().forEach(name -> listen(connection, name));
    }

    private void confirmed(String channel, String node) {
        Channel entry = channels.get(channel);
        if (entry != null) {
            entry.confirmed(node);
        }
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
        link.close();
    }

    /** Waits for running attempts to connect, and interrupts those that take longer. */
    void awaitAttempts(Duration limit) {
        link.awaitAttempts(limit);
    }
}
