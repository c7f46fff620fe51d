package dev.holdfast.lock.internal.background;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Runs callers' code: functions that are chained to a returned stage, and callbacks. A task never waits for the end of another task: when a task
 * begins while others are queued, another thread is woken or started for the next task. So short tasks share a few threads, and a task that blocks
 * occupies one thread and delays no other task.
 *
 * <p>The first 256 threads are platform threads: each of them gets processor time even if other tasks compute for long or block inside a monitor.
 * Further threads are virtual if the JDK has virtual threads, so thousands of blocked tasks cost little memory.
 */
public final class CallbackThreads implements Executor {

    /** The threads that all clients without their own executor share. */
    public static final CallbackThreads SHARED = new CallbackThreads(TimeUnit.SECONDS.toNanos(1));

    static final int MOST_PLATFORM = 256;

    private static final LockLog LOG = LockLog.LOG;

    private static final long BETWEEN_COMPLAINTS = TimeUnit.SECONDS.toNanos(10);

    private static final AtomicLong NEXT_COMPLAINT = new AtomicLong(System.nanoTime());

    private final AtomicLong number = new AtomicLong();
    private final ThreadFactory beyond = virtualThreads(this::platformThread);
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    /**
     * Whether a thread was woken that has not yet reached the queue. Only one thread is woken at a time, so that thousands of short tasks do not
     * start thousands of threads.
     */
    private final AtomicBoolean waking = new AtomicBoolean();

    private final ThreadPoolExecutor pool;

    CallbackThreads(long idleNanos) {
        this.pool = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, idleNanos, TimeUnit.NANOSECONDS, new SynchronousQueue<>(), this::thread);
    }

    /**
     * Returns an executor that runs each task on the caller's executor, or on the shared threads if the caller's executor rejects the task. So every
     * stage completes.
     */
    public static Executor orShared(Executor executor) {
        return task -> {
            try {
                executor.execute(task);
            } catch (RuntimeException refused) {
                LOG.log(System.Logger.Level.DEBUG, "The callback executor refused a task", refused);
                SHARED.execute(task);
            }
        };
    }

    /**
     * Returns a copy of a stage for callers. Functions that are chained to the copy run on the executor instead of the thread that completes the
     * original stage.
     */
    public static <T> CompletableFuture<T> view(CompletionStage<T> stage, Executor callbacks) {
        CompletableFuture<T> copy = new CompletableFuture<>();
        stage.whenComplete((value, failure) -> callbacks.execute(() -> settle(copy, value, failure)));
        return copy;
    }

    private static <T> void settle(CompletableFuture<T> copy, T value, @Nullable Throwable failure) {
        if (failure == null) {
            copy.complete(value);
        } else {
            copy.completeExceptionally(failure);
        }
    }

    /**
     * Runs a callback of a caller. An exception or error that it throws affects neither a lock nor the thread. It is logged, but at most one in ten
     * seconds as a warning, because a listener may throw for each event, and thousands of leases may be lost at once.
     */
    public static void run(Runnable callback) {
        try {
            callback.run();
        } catch (Throwable thrown) {
            long now = System.nanoTime();
            long next = NEXT_COMPLAINT.get();
            boolean isDue = now - next >= 0 && NEXT_COMPLAINT.compareAndSet(next, now + BETWEEN_COMPLAINTS);
            LOG.log(
                    isDue ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG,
                    "A listener or callback threw; the locks are not affected",
                    thrown);
        }
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        wakeOne();
    }

    private void wakeOne() {
        if (tasks.isEmpty() || !waking.compareAndSet(false, true)) {
            return;
        }
        try {
            pool.execute(this::work);
        } catch (Throwable none) {
            // The next task tries again. Until then, threads that finish their tasks take the queued ones.
            waking.set(false);
            LOG.log(System.Logger.Level.WARNING, "A thread for callbacks could not be started", none);
        }
    }

    private void work() {
        // Reset before the first poll, so that a task that is added after the last poll wakes another thread.
        waking.set(false);
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            wakeOne();
            run(task);
            // Clears an interrupt status that the task left behind, because it is not meant for the next task.
            Thread.interrupted();
        }
    }

    int threads() {
        return pool.getPoolSize();
    }

    private Thread thread(Runnable work) {
        return threads() < MOST_PLATFORM ? platformThread(work) : beyond.newThread(work);
    }

    private Thread platformThread(Runnable work) {
        return Threads.shared(work, "holdfast-callback-" + number.incrementAndGet());
    }

    /** Returns a factory of virtual threads, or the given factory if the JDK has none. Uses reflection, because the oldest supported JDK is 17. */
    private static ThreadFactory virtualThreads(ThreadFactory otherwise) {
        try {
            Class<?> builder = Class.forName("java.lang.Thread$Builder");
            Object virtual = Thread.class.getMethod("ofVirtual").invoke(null);
            builder.getMethod("name", String.class, long.class).invoke(virtual, "holdfast-callback-virtual-", 1L);
            builder.getMethod("inheritInheritableThreadLocals", boolean.class).invoke(virtual, false);
            return (ThreadFactory) builder.getMethod("factory").invoke(virtual);
        } catch (ReflectiveOperationException notThere) {
            return otherwise;
        }
    }
}
