package dev.holdfast.lock.internal.thread;

import dev.holdfast.lock.internal.log.LockLog;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs callers' code: what is chained to a returned stage, and callbacks. A task never waits for another one to end: when a task begins and others
 * are queued, another thread takes the next one or is started. So short tasks share a few threads, and a task that blocks costs one thread and
 * delays no other task.
 *
 * <p>The first 256 threads are platform threads: each gets its share of the processors even if tasks compute or block inside a monitor. Further
 * threads are virtual if the JDK has them, so thousands of blocked tasks cost little memory.
 */
public final class CallbackThreads implements Executor {

    /** Shared by all clients without an executor of their own. */
    public static final CallbackThreads SHARED = new CallbackThreads(TimeUnit.SECONDS.toNanos(1));

    static final int MOST_PLATFORM = 256;
    static final int MOST_IDLE = 4;

    private static final LockLog LOG = LockLog.LOG;

    private final AtomicLong number = new AtomicLong();
    private final ThreadFactory beyond = virtualThreads(this::platformThread);
    private final long idleNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private int threads;

    /** Threads that run no task: idle, or about to look for one. */
    private int free;

    CallbackThreads(long idleNanos) {
        this.idleNanos = idleNanos;
    }

    /** Runs each task on the caller's executor, or on the shared threads if it rejects the task: a stage must complete all the same. */
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

    /** A copy of a stage for callers: what is chained to it runs on the executor, not on the thread that completes the original. */
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

    @Override
    public void execute(Runnable task) {
        boolean one;
        lock.lock();
        try {
            tasks.add(task);
            one = oneMoreIsNeeded();
        } finally {
            lock.unlock();
        }
        if (one) {
            start();
        }
    }

    /** Behind the lock, with tasks queued. */
    private boolean oneMoreIsNeeded() {
        if (free > 0) {
            arrived.signal();
            return false;
        }
        free++;
        threads++;
        return true;
    }

    private void start() {
        try {
            (threads() <= MOST_PLATFORM ? platformThread(this::work) : beyond.newThread(this::work)).start();
        } catch (Throwable none) {
            // The next task tries again; until then a thread that ends its task takes the queued ones.
            uncount();
            LOG.log(System.Logger.Level.WARNING, "A thread for callbacks could not be started", none);
        }
    }

    private void work() {
        for (Runnable task = next(); task != null; task = next()) {
            try {
                task.run();
            } catch (Throwable thrown) {
                LOG.log(System.Logger.Level.WARNING, "A callback threw; the locks are not affected", thrown);
            }
            freeAgain();
        }
    }

    /** The next task; null if this thread is to end, which is then no longer counted. */
    private @Nullable Runnable next() {
        Runnable task;
        boolean one;
        lock.lock();
        try {
            if (!awaitTask()) {
                free--;
                threads--;
                return null;
            }
            task = tasks.remove();
            free--;
            one = !tasks.isEmpty() && oneMoreIsNeeded();
        } finally {
            lock.unlock();
        }
        if (one) {
            start();
        }
        return task;
    }

    private boolean awaitTask() {
        long left = idleNanos;
        while (tasks.isEmpty()) {
            if (left <= 0 || free > MOST_IDLE) {
                return false;
            }
            try {
                left = arrived.awaitNanos(left);
            } catch (InterruptedException e) {
                // Meant for a task that has ended.
            }
        }
        return true;
    }

    private void freeAgain() {
        // A flag that a task left behind is not meant for the next one.
        Thread.interrupted();
        lock.lock();
        try {
            free++;
        } finally {
            lock.unlock();
        }
    }

    private void uncount() {
        lock.lock();
        try {
            free--;
            threads--;
        } finally {
            lock.unlock();
        }
    }

    int threads() {
        lock.lock();
        try {
            return threads;
        } finally {
            lock.unlock();
        }
    }

    private Thread platformThread(Runnable work) {
        Thread thread = new Thread(null, work, "holdfast-callback-" + number.incrementAndGet(), 0, false);
        thread.setDaemon(true);
        // Not that of the first caller: it may belong to an application that is undeployed later.
        thread.setContextClassLoader(CallbackThreads.class.getClassLoader());
        return thread;
    }

    /** The floor is JDK 17, which does not have them. */
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
