package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.LockLog;
import dev.holdfast.lock.internal.background.Timer;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection to one server that is opened when it is first needed, and replaced whenever it breaks, until the client closes.
 *
 * <p>Lettuce does not reconnect these connections itself. So commands in flight on a broken connection are dropped and never sent again, regardless of
 * the options of an application's client. A connection that stops answering without breaking, for example because its master was stopped, is replaced
 * as well, so that a failover is noticed.
 *
 * <p>Attempts to connect come one after the other, each on a separate thread because opening a connection blocks. Between the end of an attempt and the
 * next one there is a short constant pause. So a server that accepts connections and cannot be used gets no more of them than a server that refuses
 * them. An attempt that takes too long is given up and another attempt begins, because an application's client may allow one minute for an attempt. The
 * first attempt gets more time, because it also loads classes and starts event loops.
 *
 * <p>The monitor guards only the fields. Futures and listeners run outside the monitor.
 */
final class ReconnectingConnection<C extends StatefulRedisConnection<String, String>> implements AutoCloseable {

    private static final LockLog LOG = LockLog.LOG;

    private static final int MOST_DOUBLINGS = 5;

    private final String name;
    private final Callable<C> opener;
    private final ExecutorService threads;
    private final Timer timer;
    private final ConnectionSettings settings;
    private final Consumer<C> onConnected;
    private final Set<C> unclosed = ConcurrentHashMap.newKeySet();
    private final AtomicLong interruptions;

    private volatile @Nullable C current;
    private @Nullable CompletableFuture<C> attempt;
    /** Completes when the next attempt may begin. */
    private CompletableFuture<Void> pause = CompletableFuture.completedFuture(null);

    private volatile int givenUp;
    /** Whether the running attempt may lead to a server that the address does not lead to any longer. */
    private boolean mayBeOutdated;

    private volatile @Nullable Throwable lastProblem;
    private volatile boolean isNeeded;
    private volatile boolean everConnected;
    private volatile boolean closed;
    /** Whether the present outage is logged, whose end is then logged as well. */
    private boolean outageLogged;

    /**
     * Creates a connection that is not open yet.
     *
     * @param opener opens a connection and blocks until it is open
     * @param threads an executor that runs each attempt on its own thread
     * @param interruptions counts the ends of connections
     * @param onConnected receives each new connection
     */
    ReconnectingConnection(
            String name,
            Callable<C> opener,
            ExecutorService threads,
            AtomicLong interruptions,
            Timer timer,
            ConnectionSettings settings,
            Consumer<C> onConnected) {
        this.name = name;
        this.opener = opener;
        this.threads = threads;
        this.interruptions = interruptions;
        this.timer = timer;
        this.settings = settings;
        this.onConnected = onConnected;
    }

    /** Returns the connection, or a failure at once while Redis is known to be unreachable. */
    CompletionStage<C> connection() {
        C present = current;
        if (present != null) {
            return CompletableFuture.completedFuture(present);
        }
        open();
        return nextConnection();
    }

    /** Begins to connect, if the connection is needed for the first time. */
    void open() {
        if (!isNeeded) {
            connect();
        }
    }

    private synchronized CompletionStage<C> nextConnection() {
        if (current != null) {
            return CompletableFuture.completedFuture(current);
        }
        if (attempt != null && lastProblem == null) {
            return attempt;
        }
        return CompletableFuture.failedFuture(
                noConnection(lastProblem == null ? new IllegalStateException("closed") : lastProblem));
    }

    /** Returns the failure of a call that finds no connection. Credentials that were accepted before have changed, and may be accepted again soon. */
    private RedisFailure noConnection(Throwable problem) {
        RedisFailure failure = RedisFailure.notConnected(problem);
        return failure.isTransient() || !everConnected ? failure : failure.forNow();
    }

    /** Returns whether the very first attempt is still running. */
    synchronized boolean isFirstAttempt() {
        return !everConnected && lastProblem == null && attempt != null;
    }

    @Nullable
    C currentOrNull() {
        return current;
    }

    /** Replaces the connection because a command on it got no answer or reached the wrong server. */
    void suspect(C connection) {
        if (connection == current) {
            connect();
        }
    }

    /** Opens a new connection to where the address leads now, if one was needed before. Keeps the present connection until the new one is open. */
    void replace() {
        synchronized (this) {
            if (!isNeeded) {
                return;
            }
            mayBeOutdated = attempt != null;
        }
        connect();
    }

    /** Opens a new connection, unless an attempt to do so has not ended yet. */
    private void connect() {
        CompletableFuture<C> begun = new CompletableFuture<>();
        CompletableFuture<Void> pauseAfter = new CompletableFuture<>();
        CompletableFuture<Void> pauseBefore;
        synchronized (this) {
            if (attempt != null || closed) {
                return;
            }
            isNeeded = true;
            attempt = begun;
            pauseBefore = pause;
            pause = pauseAfter;
        }
        CompletableFuture<C> opening = new CompletableFuture<>();
        opening.whenComplete((opened, failure) -> {
            timer.after(settings.reconnectDelay().toNanos(), () -> pauseAfter.complete(null));
            if (opened != null) {
                opened(begun, opened);
            } else {
                failed(begun, Objects.requireNonNull(failure));
            }
        });
        pauseBefore.thenRun(() -> {
            begun();
            begin(opening);
        });
    }

    private synchronized void begun() {
        mayBeOutdated = false;
    }

    private void begin(CompletableFuture<C> opening) {
        Future<?> task;
        try {
            task = threads.submit(() -> open(opening));
        } catch (RuntimeException | Error noThread) {
            // Handles this failure like that of any other attempt: the next attempt follows.
            opening.completeExceptionally(noThread);
            return;
        }
        Duration limit = limit();
        Timer.Timeout timeout = timer.after(limit.toNanos(), () -> giveUp(opening, task, limit));
        opening.whenComplete((connection, failure) -> timeout.cancel());
    }

    private void open(CompletableFuture<C> opening) {
        try {
            C connection = withReason();
            if (opening.complete(connection)) {
                givenUp = 0;
            } else {
                connection.closeAsync();
            }
        } catch (Exception | Error e) {
            opening.completeExceptionally(e);
        }
    }

    /**
     * Calls the opener, and calls it once more if the failure lacks its reason. Lettuce may report that the connection ended instead of the reason
     * that Redis gave, such as a wrong password.
     */
    private C withReason() throws Exception {
        try {
            return call();
        } catch (RedisException e) {
            if (!RedisFailure.hidesItsReason(e)) {
                throw e;
            }
            return call();
        }
    }

    /** Event loops that are shut down must not be used: Netty logs an error, and the attempt may never end. */
    private C call() throws Exception {
        if (closed) {
            throw new IllegalStateException("closed");
        }
        return opener.call();
    }

    /**
     * Returns the time limit of an attempt. The limit grows with each attempt that was given up, because an attempt may ask several nodes in turn,
     * and must reach the node that answers.
     */
    private Duration limit() {
        return !everConnected && lastProblem == null
                ? settings.firstConnectTimeout()
                : settings.commandTimeout().plus(settings.connectTimeout()).multipliedBy(1L << givenUp);
    }

    private void giveUp(CompletableFuture<C> opening, Future<?> task, Duration limit) {
        if (!opening.isDone()) {
            givenUp = Math.min(givenUp + 1, MOST_DOUBLINGS);
            opening.completeExceptionally(new TimeoutException("no connection within " + LogText.time(limit)));
            task.cancel(true);
        }
    }

    private void opened(CompletableFuture<C> begun, C opened) {
        unclosed.add(opened);
        opened.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
                disconnected(opened);
            }
        });
        if (!opened.isOpen()) {
            discard(opened);
            failed(begun, new IllegalStateException("The new connection broke at once"));
            return;
        }
        C replaced;
        boolean isOutdated;
        synchronized (this) {
            if (attempt != begun) {
                discard(opened);
                return;
            }
            attempt = null;
            replaced = current;
            if (replaced != null) {
                interrupted();
            }
            current = opened;
            lastProblem = null;
            everConnected = true;
            isOutdated = mayBeOutdated;
            if (outageLogged) {
                outageLogged = false;
                LOG.log(Level.INFO, "Connected to Redis again (connection for {0})", name);
            }
        }
        if (!opened.isOpen()) {
            // The connection broke before it became current.
            disconnected(opened);
        }
        onConnected.accept(opened);
        if (replaced != null) {
            retire(replaced);
        }
        begun.complete(opened);
        if (isOutdated) {
            connect();
        }
    }

    private void failed(CompletableFuture<C> begun, Throwable problem) {
        synchronized (this) {
            if (attempt != begun) {
                return;
            }
            attempt = null;
            lastProblem = problem;
            if (!outageLogged) {
                outageLogged = true;
                LOG.log(
                        Level.WARNING,
                        everConnected
                                ? "Redis cannot be reached (connection for {0}): the connection was lost; still trying: {1}"
                                : "Redis cannot be reached (connection for {0}): not connected since the client started; still trying: {1}",
                        name,
                        RedisFailure.notConnected(problem).getMessage());
            }
        }
        begun.completeExceptionally(noConnection(problem));
        // Replaces an existing connection as well, because it does not answer.
        connect();
    }

    private void interrupted() {
        interruptions.incrementAndGet();
    }

    private void disconnected(C connection) {
        interrupted();
        // Closes even a replaced connection, because an application's client would reconnect it and send its commands
        // again.
        discard(connection);
        synchronized (this) {
            if (current != connection) {
                return;
            }
            current = null;
        }
        connect();
    }

    /** Keeps a replaced connection open for a while, because its commands may still be answered. Closes those that were replaced before it. */
    private void retire(C replaced) {
        unclosed.stream().filter(other -> other != replaced && other != current).forEach(this::discard);
        timer.after(settings.commandTimeout().toNanos(), () -> discard(replaced));
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
}
