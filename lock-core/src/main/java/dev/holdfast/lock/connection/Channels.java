package dev.holdfast.lock.connection;

import dev.holdfast.lock.lease.Timer;
import dev.holdfast.lock.waiting.ReleaseSignals;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * The channels that a client listens to, on one connection, and taken up again on the next when it breaks. After each break everybody is
 * signalled: what was published meanwhile is lost.
 *
 * <p>In a cluster the sharded form is tried first, since the other clients of the protocol publish that way; a server that does not know it
 * (before Redis 7) is asked for the plain form.
 */
final class Channels implements ReleaseSignals {

    private static final System.Logger LOG = System.getLogger("dev.holdfast.lock");

    private static final long RELISTEN_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final class Channel {
        final List<Runnable> listeners = new CopyOnWriteArrayList<>();
        volatile CompletableFuture<Void> ready = new CompletableFuture<>();
    }

    private final ConcurrentHashMap<String, Channel> channels = new ConcurrentHashMap<>();
    private final Link<StatefulRedisPubSubConnection<String, String>> link;
    private final Timer timer;
    private volatile boolean sharded;
    private volatile boolean refusalLogged;

    Channels(LinkFactory links, Callable<StatefulRedisPubSubConnection<String, String>> opener, boolean cluster) {
        this.timer = links.timer();
        this.sharded = cluster;
        this.link = links.open("signals", opener, cluster, this::takeUp);
    }

    void start(boolean cluster) {
        link.start();
        if (cluster) {
            timer.after(RELISTEN_NANOS, this::listenToAll);
        }
    }

    /** In a cluster a slot may have moved to another node, where nobody listens for us yet. */
    private void listenToAll() {
        channels.forEach(this::listen);
        timer.after(RELISTEN_NANOS, this::listenToAll);
    }

    @Override
    public Subscription subscribe(String channel, Runnable onSignal) {
        Channel[] joined = new Channel[1];
        channels.compute(channel, (name, present) -> {
            Channel entry = present;
            if (entry == null) {
                entry = new Channel();
                listen(name, entry);
            }
            entry.listeners.add(onSignal);
            joined[0] = entry;
            return entry;
        });
        Channel entry = joined[0];
        return new Subscription() {
            @Override
            public CompletionStage<Void> ready() {
                return entry.ready;
            }

            @Override
            public void cancel() {
                leave(channel, entry, onSignal);
            }
        };
    }

    private void leave(String channel, Channel entry, Runnable onSignal) {
        channels.computeIfPresent(channel, (name, present) -> {
            entry.listeners.remove(onSignal);
            if (present != entry || !entry.listeners.isEmpty()) {
                return present;
            }
            var connection = link.currentOrNull();
            if (connection != null) {
                if (sharded) {
                    connection.async().sunsubscribe(name);
                } else {
                    connection.async().unsubscribe(name);
                }
            }
            return null;
        });
    }

    private void listen(String channel, Channel entry) {
        var connection = link.currentOrNull();
        if (connection != null) {
            listen(connection, channel, entry);
        }
    }

    private void listen(StatefulRedisPubSubConnection<String, String> connection, String channel, Channel entry) {
        boolean inShard = sharded;
        var confirmation = inShard
                ? connection.async().ssubscribe(channel)
                : connection.async().subscribe(channel);
        confirmation.whenComplete((ready, failure) -> {
            if (failure == null) {
                entry.ready.complete(null);
                entry.listeners.forEach(Runnable::run);
            } else if (inShard && Failures.isUnknownCommand(failure)) {
                sharded = false;
                listen(connection, channel, entry);
            } else {
                refused(entry, failure);
            }
        });
    }

    private void refused(Channel entry, Throwable failure) {
        if (Failures.of(failure).isPassing()) {
            return;
        }
        entry.ready.completeExceptionally(failure);
        if (!refusalLogged) {
            refusalLogged = true;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Redis refuses subscriptions ({0}): waiting locks poll instead, and wake later",
                    failure.getMessage());
        }
    }

    /** A new connection: listen to everything again; each confirmation signals, since messages may have been missed. */
    private void takeUp(StatefulRedisPubSubConnection<String, String> connection) {
        connection.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String payload) {
                signal(channel);
            }

            @Override
            public void smessage(String channel, String payload) {
                signal(channel);
            }

            @Override
            public void sunsubscribed(String channel, long count) {
                // Unbidden, this is a node that gave the slot away.
                channels.computeIfPresent(channel, (name, entry) -> {
                    listen(name, entry);
                    return entry;
                });
            }
        });
        channels.forEach((name, entry) -> listen(connection, name, entry));
    }

    private void signal(String channel) {
        Channel entry = channels.get(channel);
        if (entry != null) {
            entry.listeners.forEach(Runnable::run);
        }
    }

    /** The commands' connection went silent: this one may well have too. */
    void replace() {
        link.replace();
    }

    void close() {
        link.close();
    }
}
