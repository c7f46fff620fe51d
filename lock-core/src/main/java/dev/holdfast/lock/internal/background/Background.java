package dev.holdfast.lock.internal.background;

import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a client's work that differ from run to run: clocks, random numbers, and the threads that do the work. A client gets all of them from
 * one object of this type. No class outside this package creates a thread, reads a clock or draws a random number. A replacement of this object
 * controls every schedule, and the same decisions lead to the same run.
 */
public interface Background {

    /** The clocks, random numbers and threads of the JVM. */
    Background SYSTEM = new SystemBackground();

    /** Returns monotonic time, which is only used for differences. */
    long nanoTime();

    /** Returns the wall-clock time. No lease and no wait depends on it. */
    long wallClockMillis();

    /** Returns a random number of at least {@code from} and less than {@code to}. */
    double random(double from, double to);

    /** Returns random bytes that cannot be guessed. */
    byte[] secureBytes(int count);

    /** Returns the id of a thread for the owner ids of its grants. */
    long idOf(Thread thread);

    /**
     * Creates a timer of one client, which the client shuts down.
     *
     * @param name the name of the timer's thread
     */
    ScheduledExecutorService timer(String name);

    /** Returns the single thread on which composite locks take their steps. */
    ScheduledExecutorService compositeSteps();

    /**
     * Creates an executor for attempts to connect, which block. Each attempt has a thread of its own, which ends with the attempt.
     *
     * @param name the name of the threads
     */
    ExecutorService connectAttempts(String name);

    /** Returns an executor for notifications of listeners, which may block. */
    Executor work();

    /**
     * Returns an executor for those steps of a waiting room that would otherwise make one caller work for many others. These steps never block, and
     * callers' code cannot delay them.
     */
    Executor roomSteps();

    /** Waits until all lines logged so far are written, for at most the given time. */
    void flushLog(Duration limit);

    /** Waits for a future. Callers' threads block only in this method and in the next two. */
    <T> T get(CompletableFuture<T> future) throws InterruptedException, ExecutionException;

    /** Waits for a future without responding to interrupts. Throws the same exceptions as {@link CompletableFuture#join()}. */
    <T> T join(CompletableFuture<T> future);

    /**
     * Does the same, and throws what is made of the failure.
     *
     * @param thrown returns an exception with the caller's stack trace for the original failure
     */
    default <T> T join(CompletableFuture<T> future, Function<@Nullable Throwable, ? extends RuntimeException> thrown) {
        try {
            return join(future);
        } catch (CompletionException e) {
            throw thrown.apply(Failures.unwrapped(e));
        }
    }

    /** Waits for a future, for at most the given time. */
    <T> T get(CompletableFuture<T> future, long longestNanos)
            throws InterruptedException, ExecutionException, TimeoutException;

    /** The clocks, random numbers and threads of the JVM. All clients share some of the threads, which end when they are idle. */
    final class SystemBackground implements Background {

        private static final long IDLE_SECONDS = 1;
        private static final int MOST_FOR_ROOMS = 2;

        private static final ScheduledThreadPoolExecutor COMPOSITE_STEPS =
                new ScheduledThreadPoolExecutor(1, Threads.shared("holdfast-composites"));
        /** Not the callback threads, because a virtual thread needs a carrier thread, and tasks of callers may occupy all carriers. */
        private static final ThreadPoolExecutor ROOM_STEPS = new ThreadPoolExecutor(
                MOST_FOR_ROOMS,
                MOST_FOR_ROOMS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Threads.shared("holdfast-rooms"));

        static {
            COMPOSITE_STEPS.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
            COMPOSITE_STEPS.allowCoreThreadTimeOut(true);
            COMPOSITE_STEPS.setRemoveOnCancelPolicy(true);
            ROOM_STEPS.allowCoreThreadTimeOut(true);
        }

        private SystemBackground() {}

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public long wallClockMillis() {
            return System.currentTimeMillis();
        }

        @Override
        public double random(double from, double to) {
            return ThreadLocalRandom.current().nextDouble(from, to);
        }

        /** Reads them from the operating system, where that never blocks. The usual generator mixes them, for which it loads 50 classes. */
        @Override
        public byte[] secureBytes(int count) {
            try {
                return SecureRandom.getInstance("NativePRNGNonBlocking").generateSeed(count);
            } catch (NoSuchAlgorithmException windows) {
                byte[] bytes = new byte[count];
                new SecureRandom().nextBytes(bytes);
                return bytes;
            }
        }

        /** Uses {@code getId()}, because {@code threadId()} needs JDK 19. */
        @Override
        @SuppressWarnings("deprecation")
        public long idOf(Thread thread) {
            return thread.getId();
        }

        @Override
        public ScheduledExecutorService timer(String name) {
            ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
                Thread thread = new Thread(task, name);
                thread.setDaemon(true);
                return thread;
            });
            // Most tasks are canceled long before they are due, and must not accumulate until then.
            timer.setRemoveOnCancelPolicy(true);
            // Starts the thread now: if it could not be started later, leases would never end.
            timer.prestartCoreThread();
            return timer;
        }

        @Override
        public ScheduledExecutorService compositeSteps() {
            return COMPOSITE_STEPS;
        }

        @Override
        public ExecutorService connectAttempts(String name) {
            return Threads.oneForEach(name, Thread::new);
        }

        @Override
        public Executor work() {
            return CallbackThreads.SHARED;
        }

        @Override
        public void flushLog(Duration limit) {
            LockLog.LOG.flush(limit);
        }

        @Override
        public <T> T get(CompletableFuture<T> future) throws InterruptedException, ExecutionException {
            return future.get();
        }

        @Override
        public Executor roomSteps() {
            return ROOM_STEPS;
        }

        @Override
        public <T> T join(CompletableFuture<T> future) {
            return future.join();
        }

        @Override
        public <T> T get(CompletableFuture<T> future, long longestNanos)
                throws InterruptedException, ExecutionException, TimeoutException {
            return future.get(longestNanos, TimeUnit.NANOSECONDS);
        }
    }
}
