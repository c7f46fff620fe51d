package dev.holdfast.lock.connection;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.lease.Timer;
import dev.holdfast.lock.log.LockLog;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is replaced when it breaks, at a constant short delay for as long as it takes.
 *
 * <p>We reconnect ourselves and do not leave it to Lettuce: what was in flight on a broken connection is dropped with it and never sent again
 * on the next, whatever options the application gave its client. And a connection that goes silent without breaking (a stopped master) is
 * replaced as well, so that a failover is noticed. An attempt to connect that goes silent in its turn is given up and another begun: an
 * application's client may allow it a minute.
 *
 * @param <C> the kind of connection
 */
final class Link<C extends StatefulConnection<String, String>> implements AutoCloseable {

    private static final LockLog LOG = LockLog.LOG;

    private static final int MOST_DOUBLINGS = 5;

    private final String name;
    private final Callable<C> opener;
    private final boolean healsItself;
    private final Timer timer;
    private final ConnectionSettings settings;
    private final Consumer<C> onConnected;
    private final Set<C> unclosed = ConcurrentHashMap.newKeySet();
    private final Set<Thread> connectors = ConcurrentHashMap.newKeySet();

    private volatile @Nullable C current;
    private volatile Runnable onReplaced = () -> {};
    private @Nullable CompletableFuture<C> attempt;
    private @Nullable Throwable lastProblem;
    private final AtomicLong interruptions = new AtomicLong();
    private int attemptsGivenUp;
    private boolean troubleLogged;
    private boolean closed;

    /**
     * Creates a link and begins to connect.
     *
     * @param name for threads and logs
     * @param opener connects, blocking
     * @param healsItself whether the connection is one to many nodes that mends its parts by itself
     * @param onConnected told of each new connection
     */
    Link(
            String name,
            Callable<C> opener,
            boolean healsItself,
            Timer timer,
            ConnectionSettings settings,
            Consumer<C> onConnected) {
        this.name = name;
        this.opener = opener;
        this.healsItself = healsItself;
        this.timer = timer;
        this.settings = settings;
        this.onConnected = onConnected;
    }

    /** Tells somebody whenever a connection that had not ended was given up for another. */
    void whenReplaced(Runnable action) {
        onReplaced = action;
    }

    Link<C> start() {
        replace();
        return this;
    }

    /** The connection; a failure at once while Redis is known to be out of reach. */
    CompletionStage<C> connection() {
        C open = current;
        return open != null ? CompletableFuture.completedFuture(open) : comingConnection();
    }

    private synchronized CompletionStage<C> comingConnection() {
        if (current != null) {
            return CompletableFuture.completedFuture(current);
        }
        if (attempt != null && lastProblem == null) {
            return attempt;
        }
        Throwable problem = lastProblem == null ? new IllegalStateException("closed") : lastProblem;
        return CompletableFuture.failedFuture(Failures.notConnected(problem));
    }

    @Nullable
    C currentOrNull() {
        return current;
    }

    /** Counts the connections that ended: what was sent before such an end may arrive after what is sent later. */
    long interruptions() {
        return interruptions.get();
    }

    /** A command on this connection found no answer, or the wrong node: a better connection is looked for. */
    void suspect(C connection) {
        if (connection == current && !healsItself) {
            replace();
        }
    }

    /** Opens a new connection, keeping the present one until the new one stands. */
    synchronized void replace() {
        if (attempt != null || closed) {
            return;
        }
        CompletableFuture<C> begun = new CompletableFuture<>();
        attempt = begun;
        Thread connector = new Thread(() -> tryToConnect(begun), "holdfast-connect-" + name);
        connector.setDaemon(true);
        connectors.add(connector);
        connector.start();
        Timer.Alarm limit = timer.after(attemptLimit().toNanos(), () -> giveUp(begun, connector));
        begun.whenComplete((done, failure) -> limit.cancel());
    }

    private void tryToConnect(CompletableFuture<C> begun) {
        try {
            connected(begun, opener.call());
        } catch (Exception | LinkageError e) {
            failed(begun, e);
        } finally {
            connectors.remove(Thread.currentThread());
        }
    }

    /** Longer each time: where several nodes do not answer, an attempt that asks them in turn must come to the one that does. */
    private Duration attemptLimit() {
        return settings.commandTimeout().plus(settings.connectTimeout()).multipliedBy(1L << attemptsGivenUp);
    }

    /** An application's client may wait for a minute where the other side accepts a connection and never answers on it. */
    private synchronized void giveUp(CompletableFuture<C> begun, Thread connector) {
        if (attempt == begun) {
            failed(begun, new TimeoutException("no connection within " + LogText.time(attemptLimit())));
            attemptsGivenUp = Math.min(attemptsGivenUp + 1, MOST_DOUBLINGS);
            connector.interrupt();
        }
    }

    private void connected(CompletableFuture<C> begun, C opened) {
        unclosed.add(opened);
        opened.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
                disconnected(opened);
            }
        });
        C replaced;
        synchronized (this) {
            if (attempt != begun) {
                discard(opened);
                return;
            }
            attempt = null;
            attemptsGivenUp = 0;
            replaced = current;
            if (!opened.isOpen() && !healsItself) {
                discard(opened);
                retryLater(begun, new IllegalStateException("The new connection broke at once"));
                return;
            }
            current = opened;
            lastProblem = null;
            if (replaced != null) {
                interruptions.incrementAndGet();
            }
            onConnected.accept(opened);
            if (troubleLogged) {
                troubleLogged = false;
                LOG.log(System.Logger.Level.INFO, "Connected to Redis again ({0})", name);
            }
        }
        if (replaced != null) {
            // What is still in flight on it may yet be answered.
            timer.after(settings.commandTimeout().toNanos(), () -> discard(replaced));
            onReplaced.run();
        }
        begun.complete(opened);
    }

    private synchronized void failed(CompletableFuture<C> begun, Throwable problem) {
        if (attempt == begun) {
            attempt = null;
            retryLater(begun, problem);
        }
    }

    private void retryLater(CompletableFuture<C> begun, Throwable problem) {
        lastProblem = problem;
        if (!closed && !troubleLogged) {
            troubleLogged = true;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Redis cannot be reached ({0}), trying on: {1}",
                    name,
                    Failures.notConnected(problem).getMessage());
        }
        begun.completeExceptionally(Failures.notConnected(problem));
        // Also where there is a connection still: it is silent, and the next one to stand shows that this is over.
        timer.after(settings.reconnectDelay().toNanos(), this::replace);
    }

    private void disconnected(C connection) {
        interruptions.incrementAndGet();
        if (healsItself) {
            return;
        }
        // Also one that was replaced: an application's client would bring it back, and send again what it had sent.
        discard(connection);
        synchronized (this) {
            if (current != connection) {
                return;
            }
            current = null;
        }
        replace();
    }

    private void discard(C connection) {
        // Once: Lettuce warns of a second time, and its closing looks like a break from here.
        if (unclosed.remove(connection)) {
            connection.closeAsync();
        }
    }

    @Override
    public void close() {
        C open;
        CompletableFuture<C> awaited;
        synchronized (this) {
            closed = true;
            open = current;
            current = null;
            awaited = attempt;
            attempt = null;
        }
        if (awaited != null) {
            awaited.completeExceptionally(Failures.notConnected(new IllegalStateException("closed")));
        }
        if (open != null && unclosed.remove(open)) {
            open.close();
        }
        unclosed.forEach(this::discard);
    }

    /** Lets attempts that are under way come to their end: whose event loops are shut down meanwhile may never do so. */
    void awaitConnectors(Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        try {
            for (Thread connector : connectors) {
                connector.join(
                        Math.max(1, Duration.ofNanos(end - System.nanoTime()).toMillis()));
                connector.interrupt();
            }
        } catch (InterruptedException e) {
            // Closing goes on; the attempts end by their own time limits.
            Thread.currentThread().interrupt();
        }
    }
}
