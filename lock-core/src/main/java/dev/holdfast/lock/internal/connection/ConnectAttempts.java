package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.Timer;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Attempts to open a connection, one after the other, each on a separate thread because opening a connection blocks.
 *
 * <p>Between the end of an attempt and the next one there is a short constant pause. So a server that accepts connections and cannot be used gets no
 * more of them than a server that refuses them.
 *
 * <p>An attempt that takes too long is given up and another attempt begins, because an application's client may allow one minute for an attempt. The
 * first attempt gets more time, because it also loads classes and starts event loops.
 */
final class ConnectAttempts<C extends StatefulConnection<?, ?>> {

    private static final int MOST_DOUBLINGS = 5;

    private final Callable<C> opener;
    private final ExecutorService threads;
    private final Timer timer;
    private final ConnectionSettings settings;

    private CompletableFuture<Void> pause = CompletableFuture.completedFuture(null);
    private volatile boolean first = true;
    private volatile int givenUp;

    /**
     * Creates the attempts. None has begun yet.
     *
     * @param opener opens a connection and blocks until it is open
     * @param threads an executor that runs each attempt on its own thread
     */
    ConnectAttempts(Callable<C> opener, ExecutorService threads, Timer timer, ConnectionSettings settings) {
        this.opener = opener;
        this.threads = threads;
        this.timer = timer;
        this.settings = settings;
    }

    /**
     * Begins an attempt as soon as the pause after the last one is over.
     *
     * @param onBegin called when the attempt begins
     * @param onEnd receives the open connection, or the reason why there is none
     */
    void next(Runnable onBegin, BiConsumer<@Nullable C, @Nullable Throwable> onEnd) {
        CompletableFuture<C> opened = new CompletableFuture<>();
        CompletableFuture<Void> pauseAfter = new CompletableFuture<>();
        opened.whenComplete((connection, failure) -> {
            first = false;
            timer.after(settings.reconnectDelay().toNanos(), () -> pauseAfter.complete(null));
            onEnd.accept(connection, failure);
        });
        CompletableFuture<Void> pauseBefore;
        synchronized (this) {
            pauseBefore = pause;
            pause = pauseAfter;
        }
        pauseBefore.thenRun(() -> {
            onBegin.run();
            begin(opened);
        });
    }

    private void begin(CompletableFuture<C> opened) {
        Future<?> attempt;
        try {
            attempt = threads.submit(() -> open(opened));
        } catch (RuntimeException | Error noThread) {
            // Handles this failure like that of any other attempt: the next attempt follows.
            opened.completeExceptionally(noThread);
            return;
        }
        Duration limit = limit();
        Timer.Timeout timeout = timer.after(limit.toNanos(), () -> giveUp(opened, attempt, limit));
        opened.whenComplete((connection, failure) -> timeout.cancel());
    }

    private void open(CompletableFuture<C> opened) {
        try {
            C connection = withReason();
            if (opened.complete(connection)) {
                givenUp = 0;
            } else {
                connection.closeAsync();
            }
        } catch (Exception | Error e) {
            opened.completeExceptionally(e);
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
        if (threads.isShutdown()) {
            throw new IllegalStateException("closed");
        }
        return opener.call();
    }

    /**
     * Returns the time limit of an attempt. The limit grows with each attempt that was given up, because an attempt may ask several nodes in turn,
     * and must reach the node that answers.
     */
    private Duration limit() {
        return first
                ? settings.firstConnectTimeout()
                : settings.commandTimeout().plus(settings.connectTimeout()).multipliedBy(1L << givenUp);
    }

    private void giveUp(CompletableFuture<C> opened, Future<?> attempt, Duration limit) {
        if (!opened.isDone()) {
            givenUp = Math.min(givenUp + 1, MOST_DOUBLINGS);
            opened.completeExceptionally(new TimeoutException("no connection within " + LogText.time(limit)));
            attempt.cancel(true);
        }
    }

    /** Begins no more attempts. */
    void close() {
        threads.shutdown();
    }

    /** Waits for running attempts. Interrupts those that take longer, and waits until they have ended for that, for as long again at most. */
    void awaitEnd(Duration limit) {
        try {
            if (!hasEnded(limit)) {
                threads.shutdownNow();
                hasEnded(limit);
            }
        } catch (InterruptedException e) {
            // Continues to close. The attempts end by their own time limits.
            Thread.currentThread().interrupt();
        }
    }

    private boolean hasEnded(Duration limit) throws InterruptedException {
        return threads.awaitTermination(limit.toNanos(), TimeUnit.NANOSECONDS);
    }
}
