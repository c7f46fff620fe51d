package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.lease.Timer;
import dev.holdfast.lock.internal.log.LockLog;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is replaced when it breaks, after a constant short delay, until the client closes.
 *
 * <p>We reconnect ourselves instead of leaving it to Lettuce: commands in flight on a broken connection are dropped with it and never sent
 * again, whatever options the application gave its client. A connection that goes silent without breaking (a stopped master) is replaced as
 * well, so that a failover is noticed. An attempt to connect that goes silent is abandoned and another one begins: an application's client
 * may allow an attempt a minute.
 *
 * <p>The first attempt of all gets more time, because it also loads classes and starts event loops, and a busy machine is not an outage.
 *
 * <p>The monitor guards the fields only. Futures, listeners and log handlers run outside it, and log handlers only on connector threads.
 *
 * @param <C> the kind of connection
 */
final class ReconnectingConnection<C extends StatefulConnection<String, String>> implements AutoCloseable {

    private static final LockLog LOG = LockLog.LOG;

    private static final int MOST_DOUBLINGS = 5;

    private final String name;
    private final Callable<C> opener;
    private final boolean healsItself;
    private final Timer timer;
    private final ThreadFactory threads;
    private final ConnectionSettings settings;
    private final Consumer<C> onConnected;
    private final Set<C> unclosed = ConcurrentHashMap.newKeySet();
    private final Set<Thread> connectors = ConcurrentHashMap.newKeySet();
    private final AtomicLong interruptions = new AtomicLong();

    private volatile @Nullable C current;
    private volatile Runnable onReplaced = () -> {};
    private @Nullable CompletableFuture<C> attempt;
    private @Nullable Throwable lastProblem;
    private boolean everConnected;
    private int attemptsGivenUp;
    private boolean troubleLogged;
    private boolean closed;

    /**
     * Creates a connection that is not open yet.
     *
     * @param name for threads and logs
     * @param opener connects, blocking
     * @param healsItself whether the connection is one to many nodes that reconnects to each node by itself
     * @param onConnected receives each new connection
     */
    ReconnectingConnection(
            String name,
            Callable<C> opener,
            boolean healsItself,
            Timer timer,
            ThreadFactory threads,
            ConnectionSettings settings,
            Consumer<C> onConnected) {
        this.name = name;
        this.opener = opener;
        this.healsItself = healsItself;
        this.timer = timer;
        this.threads = threads;
        this.settings = settings;
        this.onConnected = onConnected;
    }

    /** Sets what runs whenever a connection that had not ended is replaced by another. */
    void whenReplaced(Runnable action) {
        onReplaced = action;
    }

    ReconnectingConnection<C> start() {
        replace();
        return this;
    }

    /** The connection; a failure at once while Redis is known to be out of reach. */
    CompletionStage<C> connection() {
        C open = current;
        return open != null ? CompletableFuture.completedFuture(open) : comingConnection();
    }

    private CompletionStage<C> comingConnection() {
        Throwable problem;
        synchronized (this) {
            if (current != null) {
                return CompletableFuture.completedFuture(current);
            }
            if (attempt != null && lastProblem == null) {
                return attempt;
            }
            problem = lastProblem == null ? new IllegalStateException("closed") : lastProblem;
        }
        return CompletableFuture.failedFuture(Failures.notConnected(problem));
    }

    /** Whether the very first attempt to connect is still under way. */
    synchronized boolean isFirstAttempt() {
        return isFirst() && attempt != null;
    }

    private boolean isFirst() {
        return !everConnected && lastProblem == null;
    }

    @Nullable
    C currentOrNull() {
        return current;
    }

    /** Counts the connections that ended: commands sent before such an end may arrive after commands sent later. */
    long interruptions() {
        return interruptions.get();
    }

    /** One of the connections behind this one ended. */
    void interrupted() {
        interruptions.incrementAndGet();
    }

    /** A command on this connection got no answer, or reached the wrong node: a better connection is needed. */
    void suspect(C connection) {
        if (connection == current && !healsItself) {
            replace();
        }
    }

    /** Opens a new connection and keeps the present one until the new one is open. */
    void replace() {
        CompletableFuture<C> begun = new CompletableFuture<>();
        Duration limit;
        synchronized (this) {
            if (attempt != null || closed) {
                return;
            }
            attempt = begun;
            limit = attemptLimit();
        }
        Thread connector = null;
        try {
            connector = threads.newThread(() -> tryToConnect(begun));
            connectors.add(connector);
            connector.setName("holdfast-connect-" + name);
            connector.setDaemon(true);
            connector.start();
        } catch (RuntimeException | Error noThread) {
            // The system may be out of threads. The attempt has failed like any other, and the next one follows.
            if (connector != null) {
                connectors.remove(connector);
            }
            failed(begun, noThread);
            return;
        }
        Thread started = connector;
        Timer.Timeout alarm = timer.after(limit.toNanos(), () -> giveUp(begun, started));
        begun.whenComplete((done, failure) -> alarm.cancel());
    }

    private void tryToConnect(CompletableFuture<C> begun) {
        try {
            reportTrouble();
            connected(begun, opener.call());
        } catch (Exception | Error e) {
            failed(begun, e);
            reportTrouble();
        } finally {
            connectors.remove(Thread.currentThread());
        }
    }

    /** Longer each time: where several nodes do not answer, an attempt that asks them in turn must reach the one that does. */
    private Duration attemptLimit() {
        return isFirst()
                ? settings.firstConnectTimeout()
                : settings.commandTimeout().plus(settings.connectTimeout()).multipliedBy(1L << attemptsGivenUp);
    }

    /** An application's client may wait for a minute where the other side accepts a connection and never answers on it. */
    private void giveUp(CompletableFuture<C> begun, Thread connector) {
        Duration limit;
        synchronized (this) {
            if (attempt != begun) {
                return;
            }
            limit = attemptLimit();
            attemptsGivenUp = Math.min(attemptsGivenUp + 1, MOST_DOUBLINGS);
        }
        failed(begun, new TimeoutException("no connection within " + LogText.time(limit)));
        connector.interrupt();
    }

    private void connected(CompletableFuture<C> begun, C opened) {
        unclosed.add(opened);
        opened.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
                disconnected(opened);
            }
        });
        if (!opened.isOpen() && !healsItself) {
            discard(opened);
            throw new IllegalStateException("The new connection broke at once");
        }
        C replaced;
        boolean recovered;
        synchronized (this) {
            if (attempt != begun) {
                discard(opened);
                return;
            }
            attempt = null;
            attemptsGivenUp = 0;
            replaced = current;
            current = opened;
            lastProblem = null;
            everConnected = true;
            recovered = troubleLogged;
            troubleLogged = false;
            if (replaced != null) {
                interruptions.incrementAndGet();
            }
        }
        if (!opened.isOpen() && !healsItself) {
            // It broke before it was current, and nobody was told.
            disconnected(opened);
        }
        onConnected.accept(opened);
        if (replaced != null) {
            // Commands in flight on it may still be answered.
            timer.after(settings.commandTimeout().toNanos(), () -> discard(replaced));
            onReplaced.run();
        }
        begun.complete(opened);
        if (recovered) {
            LOG.log(Level.INFO, "Connected to Redis again ({0})", name);
        }
    }

    private void failed(CompletableFuture<C> begun, Throwable problem) {
        synchronized (this) {
            if (attempt != begun) {
                return;
            }
            attempt = null;
            lastProblem = problem;
        }
        begun.completeExceptionally(Failures.notConnected(problem));
        // Also where there is a connection still: it is silent, and the next one that opens ends that.
        timer.after(settings.reconnectDelay().toNanos(), this::replace);
    }

    /** Once for each trouble. Called on connector threads only: a log handler may be slow. */
    private void reportTrouble() {
        Throwable problem;
        boolean lost;
        synchronized (this) {
            problem = lastProblem;
            if (problem == null || closed || troubleLogged) {
                return;
            }
            troubleLogged = true;
            lost = everConnected;
        }
        LOG.log(
                Level.WARNING,
                lost
                        ? "Redis cannot be reached ({0}): the connection was lost; still trying: {1}"
                        : "Redis cannot be reached ({0}): not connected since the client started; still trying: {1}",
                name,
                Failures.notConnected(problem).getMessage());
    }

    private void disconnected(C connection) {
        interruptions.incrementAndGet();
        if (healsItself) {
            return;
        }
        // Also one that was replaced: an application's client would reconnect it and send again what it had sent.
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
        // Once: Lettuce warns about a second time, and its closing looks like a break from here.
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

    /** Waits for attempts that are under way: one whose event loops are shut down meanwhile may never end. */
    void awaitConnectors(Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        try {
            for (Thread connector : connectors) {
                connector.join(
                        Math.max(1, Duration.ofNanos(end - System.nanoTime()).toMillis()));
                connector.interrupt();
            }
        } catch (InterruptedException e) {
            // Closing continues; the attempts end by their own time limits.
            Thread.currentThread().interrupt();
        }
    }
}
