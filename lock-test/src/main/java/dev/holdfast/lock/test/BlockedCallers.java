package dev.holdfast.lock.test;

import dev.holdfast.lock.internal.background.Background;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The threads that block in a method of a lock or a lease, each with the future that it waits for. Their time limits are on the virtual clock. */
final class BlockedCallers implements Background {

    private final Map<Thread, CompletableFuture<?>> blocked = new ConcurrentHashMap<>();
    private final VirtualClock clock;
    private final Runnable onBlock;
    private volatile boolean closed;

    /**
     * Creates an instance without blocked threads.
     *
     * @param onBlock called when a thread is about to block
     */
    BlockedCallers(VirtualClock clock, Runnable onBlock) {
        this.clock = clock;
        this.onBlock = onBlock;
    }

    /** Returns whether the thread blocks on a future that is not complete yet. */
    boolean isBlocked(Thread thread) {
        CompletableFuture<?> until = blocked.get(thread);
        return until != null && !until.isDone();
    }

    boolean areNone() {
        return blocked.isEmpty();
    }

    /** Lets later callers block as usual, because the clock is no longer moved. */
    void close() {
        closed = true;
    }

    @Override
    public <T> T get(CompletableFuture<T> future) throws InterruptedException, ExecutionException {
        if (future.isDone()) {
            return future.get();
        }
        Thread caller = Thread.currentThread();
        blocked.put(caller, future);
        try {
            onBlock.run();
            return future.get();
        } finally {
            blocked.remove(caller);
        }
    }

    @Override
    public <T> T get(CompletableFuture<T> future, long nanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (closed) {
            return SYSTEM.get(future, nanos);
        }
        CompletableFuture<T> limited = future.copy();
        VirtualClock.Task limit =
                clock.plan(() -> limited.completeExceptionally(new TimeoutException()), nanos, TimeUnit.NANOSECONDS);
        try {
            return get(limited);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TimeoutException over && !future.isDone()) {
                throw over;
            }
            return future.get();
        } finally {
            limit.cancel(false);
        }
    }

    @Override
    public <T> T join(CompletableFuture<T> future) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return get(future);
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw new CompletionException(e.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    // All other time is real. Only the clock of leases and waits is virtual.

    @Override
    public long nanoTime() {
        return SYSTEM.nanoTime();
    }

    @Override
    public long wallClockMillis() {
        return SYSTEM.wallClockMillis();
    }

    @Override
    public double random(double from, double to) {
        return SYSTEM.random(from, to);
    }

    @Override
    public byte[] secureBytes(int count) {
        return SYSTEM.secureBytes(count);
    }

    @Override
    public long idOf(Thread thread) {
        return SYSTEM.idOf(thread);
    }

    @Override
    public ScheduledExecutorService timer(String name) {
        return SYSTEM.timer(name);
    }

    @Override
    public ExecutorService connectAttempts(String name) {
        return SYSTEM.connectAttempts(name);
    }

    @Override
    public ScheduledExecutorService compositeSteps() {
        return SYSTEM.compositeSteps();
    }

    @Override
    public Executor work() {
        return SYSTEM.work();
    }

    @Override
    public Executor roomSteps() {
        return SYSTEM.roomSteps();
    }

    @Override
    public void flushLog(Duration limit) {
        SYSTEM.flushLog(limit);
    }
}
