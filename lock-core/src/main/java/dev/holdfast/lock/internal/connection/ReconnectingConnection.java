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
 * A connection that is replaced when it breaks, after a constant short delay, until the client closes.
 *
 * <p>Lettuce does not reconnect by itself here: commands in flight on a broken connection are dropped with it and never sent again, whatever options
 * the application gave its client. A connection that goes silent without breaking (a stopped master) is replaced as well, so that a failover is
 * noticed. An attempt that goes silent is given up and another one begins: an application's client may allow an attempt a minute. The first attempt
 * gets more time, because it also loads classes and starts event loops.
 *
 * <p>The monitor guards the fields only. Futures, listeners and log handlers run outside it.
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
     * @param opener connects, blocking
     * @param connectors gives each attempt a thread of its own
     * @param healsItself whether the connection is one to many nodes that reconnects to each node by itself
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

    /** Sets what runs whenever a connection that had not ended is replaced by another. */
    void whenReplaced(Runnable action) {
        onReplaced = action;
    }

    /** The connection. Fails at once while Redis is known to be unreachable. */
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

    /** Whether the very first attempt is still under way. */
    synchronized boolean isFirstAttempt() {
        return !everConnected && lastProblem == null && attempt != null;
    }

    @Nullable
    C currentOrNull() {
        return current;
    }

    /** How many connections have ended: commands sent before such an end may arrive after commands sent later. */
    long interruptions() {
        return interruptions.get();
    }

    void interrupted() {
        interruptions.incrementAndGet();
    }

    /** A command on this connection got no answer, or reached the wrong node: a better connection is needed. */
    void suspect(StatefulConnection<?, ?> connection) {
        if (connection == current && !healsItself) {
            replace();
        }
    }

    void start() {
        replace();
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
        Future<?> connector;
        try {
            connector = connectors.submit(() -> tryToConnect(begun));
        } catch (RuntimeException | Error noThread) {
            // The attempt has failed like any other, and the next one follows.
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

    /** Longer each time: if several nodes do not answer, an attempt that asks them in turn must reach the one that does. */
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
            // It broke before it was current.
            disconnected(opened);
        }
        onConnected.accept(opened);
        if (replaced != null) {
            // Commands in flight on it may still be answered.
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
        // Also if there is a connection: it is silent, and the next one replaces it.
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
        // Also a replaced one: an application's client would reconnect it and send again what it had sent.
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
        // Once: Lettuce warns about a second time, and closing looks like a break to the listener.
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

    /** Waits for running attempts: one whose event loops are shut down meanwhile may never end. */
    void awaitConnectors(Duration limit) {
        connectors.shutdown();
        try {
            if (!connectors.awaitTermination(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                connectors.shutdownNow();
            }
        } catch (InterruptedException e) {
            // Closing continues; the attempts end by their own time limits.
            Thread.currentThread().interrupt();
        }
    }
}
