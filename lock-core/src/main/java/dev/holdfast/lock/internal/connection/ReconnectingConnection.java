package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.Timer;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is replaced whenever it breaks, after a short constant delay, until the client closes.
 *
 * <p>Lettuce does not reconnect these connections itself. So commands in flight on a broken connection are dropped and never sent again, regardless
 * of the options of an application's client. A connection that stops answering without breaking, for example because its master was stopped, is
 * replaced as well, so that a failover is noticed. An attempt to connect that takes too long is given up and another attempt begins, because an
 * application's client may allow one minute for an attempt. The first attempt gets more time, because it also loads classes and starts event loops.
 *
 * <p>The monitor guards only the fields. Futures, listeners and log handlers run outside the monitor.
 */
final class ReconnectingConnection<C extends StatefulConnection<String, String>> implements AutoCloseable {

    private static final int MOST_DOUBLINGS = 5;

    private final OutageLog outages;
    private final Callable<C> opener;
    private final boolean healsItself;
    private final Timer timer;
    private final ExecutorService connectors;
    private final ConnectionSettings settings;
    private final Consumer<C> onConnected;
    private final Set<C> unclosed = ConcurrentHashMap.newKeySet();
    private final AtomicLong interruptions = new AtomicLong();

    private volatile @Nullable C current;
    private volatile Runnable onReplaced = () -> {};
    private @Nullable CompletableFuture<C> attempt;
    private volatile @Nullable Throwable lastProblem;
    private volatile boolean everConnected;
    private int attemptsGivenUp;
    private volatile boolean closed;

    /**
     * Creates a connection that is not open yet.
     *
     * @param opener opens a connection and blocks until it is open
     * @param connectors an executor that runs each attempt on its own thread
     * @param healsItself whether the connection leads to many nodes and reconnects to each of them by itself
     * @param onConnected receives each new connection
     */
    ReconnectingConnection(
            String name,
            Callable<C> opener,
            boolean healsItself,
            Timer timer,
            ExecutorService connectors,
            ConnectionSettings settings,
            Consumer<C> onConnected) {
        this.outages = new OutageLog(name);
        this.opener = opener;
        this.healsItself = healsItself;
        this.timer = timer;
        this.connectors = connectors;
        this.settings = settings;
        this.onConnected = onConnected;
    }

    /** Sets the action to run whenever a connection that had not ended is replaced by a new one. */
    void whenReplaced(Runnable action) {
        onReplaced = action;
    }

    /** Returns the connection, or a failure at once while Redis is known to be unreachable. */
    CompletionStage<C> connection() {
        C open = current;
        return open != null ? CompletableFuture.completedFuture(open) : nextConnection();
    }

    private synchronized CompletionStage<C> nextConnection() {
        if (current != null) {
            return CompletableFuture.completedFuture(current);
        }
        if (attempt != null && lastProblem == null) {
            return attempt;
        }
        Throwable problem = lastProblem == null ? new IllegalStateException("closed") : lastProblem;
        return CompletableFuture.failedFuture(RedisFailure.notConnected(problem));
    }

    /** Returns whether the very first attempt is still running. */
    synchronized boolean isFirstAttempt() {
        return !everConnected && lastProblem == null && attempt != null;
    }

    @Nullable
    C currentOrNull() {
        return current;
    }

    /** Returns how many connections have ended. A command that was sent before such an end may arrive after a command that was sent later. */
    long interruptions() {
        return interruptions.get();
    }

    void interrupted() {
        interruptions.incrementAndGet();
    }

    /** Replaces the connection because a command on it got no answer or reached the wrong node. */
    void suspect(StatefulConnection<?, ?> connection) {
        if (connection == current && !healsItself) {
            replace();
        }
    }

    void start() {
        replace();
    }

    /** Opens a new connection. Keeps the present connection until the new one is open. */
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
        Future<?> connector;
        try {
            connector = connectors.submit(() -> tryToConnect(begun));
        } catch (RuntimeException | Error noThread) {
            // Handles this failure like that of any other attempt: the next attempt follows.
            failed(begun, noThread);
            return;
        }
        Timer.Timeout timeout = timer.after(limit.toNanos(), () -> giveUp(begun, connector));
        begun.whenComplete((done, failure) -> timeout.cancel());
    }

    private void tryToConnect(CompletableFuture<C> begun) {
        try {
            reportOutage();
            connected(begun, opener.call());
        } catch (Exception | Error e) {
            failed(begun, e);
            reportOutage();
        }
    }

    /**
     * Returns the time limit of the next attempt. The limit grows with each attempt, because an attempt may ask several nodes in turn, and must reach
     * the node that answers.
     */
    private Duration attemptLimit() {
        return isFirstAttempt()
                ? settings.firstConnectTimeout()
                : settings.commandTimeout().plus(settings.connectTimeout()).multipliedBy(1L << attemptsGivenUp);
    }

    private void giveUp(CompletableFuture<C> begun, Future<?> connector) {
        Duration limit;
        synchronized (this) {
            if (attempt != begun) {
                return;
            }
            limit = attemptLimit();
            attemptsGivenUp = Math.min(attemptsGivenUp + 1, MOST_DOUBLINGS);
        }
        failed(begun, new TimeoutException("no connection within " + LogText.time(limit)));
        connector.cancel(true);
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
            if (replaced != null) {
                interruptions.incrementAndGet();
            }
        }
        if (!opened.isOpen() && !healsItself) {
            // The connection broke before it became current.
            disconnected(opened);
        }
        onConnected.accept(opened);
        if (replaced != null) {
            // Commands in flight on the replaced connection may still be answered.
            timer.after(settings.commandTimeout().toNanos(), () -> discard(replaced));
            onReplaced.run();
        }
        begun.complete(opened);
        outages.connected();
    }

    private void failed(CompletableFuture<C> begun, Throwable problem) {
        synchronized (this) {
            if (attempt != begun) {
                return;
            }
            attempt = null;
            lastProblem = problem;
        }
        begun.completeExceptionally(RedisFailure.notConnected(problem));
        // Replaces an existing connection as well, because it does not answer.
        timer.after(settings.reconnectDelay().toNanos(), this::replace);
    }

    private void reportOutage() {
        outages.report(() -> closed ? null : lastProblem, everConnected);
    }

    private void disconnected(C connection) {
        interruptions.incrementAndGet();
        if (healsItself) {
            return;
        }
        // Closes even a replaced connection, because an application's client would reconnect it and send its commands
        // again.
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
        // Closes a connection only once: Lettuce warns about a second close, and a close looks like a break to the
        // listener.
        if (unclosed.remove(connection)) {
            connection.closeAsync();
        }
    }

    @Override
    public void close() {
        C open;
        CompletableFuture<C> abandoned;
        synchronized (this) {
            closed = true;
            open = current;
            current = null;
            abandoned = attempt;
            attempt = null;
        }
        if (abandoned != null) {
            abandoned.completeExceptionally(RedisFailure.notConnected(new IllegalStateException("closed")));
        }
        if (open != null && unclosed.remove(open)) {
            open.close();
        }
        unclosed.forEach(this::discard);
    }

    /** Waits for running attempts, because an attempt may never end if its event loops are shut down during the attempt. */
    void awaitConnectors(Duration limit) {
        connectors.shutdown();
        try {
            if (!connectors.awaitTermination(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                connectors.shutdownNow();
            }
        } catch (InterruptedException e) {
            // Continues to close. The attempts end by their own time limits.
            Thread.currentThread().interrupt();
        }
    }
}
