package dev.holdfast.lock.internal.background;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;

/**
 * Everything about a client's work that differs from run to run: clocks, chance, and the threads on which the work goes on. A client gets one object
 * for all of it, and no class outside this package makes a thread, reads a clock or draws a number. A replacement of this object decides every
 * schedule, and the same decisions give the same run.
 */
public interface Background {

    /** The JVM's clocks, chance and threads. */
    Background SYSTEM = new SystemBackground();

    /** Monotonic time, compared by difference only. */
    long nanoTime();

    /** The wall clock, which no lease and no wait depends on. */
    long wallClockMillis();

    /** A number of at least {@code from} and less than {@code to}. */
    double random(double from, double to);

    /** Bytes that nobody can guess. */
    byte[] secureBytes(int count);

    /** What a thread is called in the owner ids of its grants. */
    long idOf(Thread thread);

    /**
     * Creates a timer of one client, which the client shuts down.
     *
     * @param name of its thread
     */
    ScheduledExecutorService timer(String name);

    /** The one thread on which locks made of locks take their steps. */
    ScheduledExecutorService compositeSteps();

    /** Runs what tells listeners, which may block. */
    Executor work();

    /** Runs the steps of waiting rooms that one caller would otherwise take for many others. They never block, and callers' code cannot delay them. */
    Executor roomSteps();

    /** Waits until the log lines until now are written, for a limited time. */
    void flushLog(Duration limit);

    /** Waits for a future. Callers' threads block here and in the next two methods only. */
    <T> T get(CompletableFuture<T> future) throws InterruptedException, ExecutionException;

    /** Waits for a future, uninterruptibly, and throws as {@link CompletableFuture#join()} does. */
    <T> T join(CompletableFuture<T> future);

    /** Waits for a future, for a limited time. */
    <T> T get(CompletableFuture<T> future, long longestNanos)
            throws InterruptedException, ExecutionException, TimeoutException;
}
