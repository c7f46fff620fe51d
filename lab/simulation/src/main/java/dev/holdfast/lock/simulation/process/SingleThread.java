package dev.holdfast.lock.simulation.process;

import dev.holdfast.lock.internal.background.Background;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The background of a process whose threads are tasks of one thread. */
public interface SingleThread extends Background {

    /** Runs a task soon, as a thread of the process. */
    void execute(Runnable task);

    /** Passes control on until the future is done or the time is over. A time of {@link Long#MAX_VALUE} does not end. */
    void await(CompletableFuture<?> future, long longestNanos) throws InterruptedException;

    /** Passes control on until the future is done. */
    void await(CompletableFuture<?> future);

    @Override
    default long wallClockMillis() {
        return TimeUnit.NANOSECONDS.toMillis(nanoTime());
    }

    @Override
    default long idOf(Thread thread) {
        return 1;
    }

    @Override
    default Executor work() {
        return this::execute;
    }

    @Override
    default Executor roomSteps() {
        return this::execute;
    }

    /** Does nothing, because nothing reads the log. */
    @Override
    default void flushLog(Duration limit) {}

    @Override
    default <T> T join(CompletableFuture<T> future) {
        await(future);
        return future.join();
    }

    @Override
    default <T> T get(CompletableFuture<T> future) throws InterruptedException, ExecutionException {
        await(future, Long.MAX_VALUE);
        return future.get();
    }

    @Override
    default <T> T get(CompletableFuture<T> future, long longestNanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        await(future, longestNanos);
        return future.get(0, TimeUnit.NANOSECONDS);
    }
}
