package dev.holdfast.lock.lease;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LogText;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Runs foreign code, guarded and on threads of its own: never on the watchdog's, never on an event loop. Listeners hear their events in
 * order; the callbacks of a lost lease do not queue behind a listener that blocks.
 */
public final class Announcer implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("dev.holdfast.lock");

    /**
     * The common pool, in a disguise: on machines of one or two cores a future of the JDK that is left to itself, or is given that pool
     * as such, starts a thread for each completion.
     */
    public static final Executor CALLER_SIDE = ForkJoinPool.getCommonPoolParallelism() > 0
            ? task -> ForkJoinPool.commonPool().execute(task)
            : new CompletableFuture<>().defaultExecutor();

    private static final int THREADS = 4;
    private static final long IDLE_SECONDS = 5;
    private static final int MOST_EVENTS_WAITING = 10_000;

    private final List<LockListener> listeners;
    private final ThreadPoolExecutor threads;
    private final ConcurrentLinkedQueue<Consumer<LockListener>> events = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();

    public Announcer(List<LockListener> listeners, String threadName) {
        this.listeners = List.copyOf(listeners);
        AtomicInteger number = new AtomicInteger();
        this.threads = new ThreadPoolExecutor(
                THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, threadName + "-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    /** Tells the listeners, in order; beyond 10,000 untold events the newest are dropped. */
    public void event(Consumer<LockListener> event) {
        if (listeners.isEmpty() || waiting.get() >= MOST_EVENTS_WAITING) {
            return;
        }
        events.add(event);
        if (waiting.getAndIncrement() == 0) {
            execute(this::tellAll);
        }
    }

    private void tellAll() {
        do {
            Consumer<LockListener> event = events.remove();
            listeners.forEach(listener -> guard(() -> event.accept(listener)));
        } while (waiting.decrementAndGet() > 0);
    }

    /** Runs one callback. */
    void callback(Runnable callback) {
        execute(() -> guard(callback));
    }

    void lost(LeaseLoss loss) {
        LOG.log(
                System.Logger.Level.WARNING,
                "Lost the lease on lock ''{0}'' (token {1}) after {2}, last confirmed {3} ago: {4}",
                LogText.escape(loss.lockName()),
                Long.toString(loss.fencingToken()),
                loss.held(),
                loss.sinceConfirmed(),
                loss.cause().description());
        event(listener -> listener.onLost(loss));
    }

    void abandoned(HeldLease lease, String thread) {
        LOG.log(
                System.Logger.Level.WARNING,
                "Thread ''{0}'' ended without unlocking ''{1}'' (token {2}); the lease is renewed no longer",
                thread,
                LogText.escape(lease.lockName()),
                Long.toString(lease.fencingToken()));
        event(listener -> listener.onAbandoned(lease.lockName(), lease.fencingToken(), thread));
    }

    /**
     * A stage for a caller's eyes: what is chained to it runs on the common pool, not on the event loop that completes the original.
     *
     * @param <T> the result's type
     */
    public <T> CompletionStage<T> onCallerSide(CompletionStage<T> stage) {
        CompletableFuture<T> copy = new CompletableFuture<>();
        stage.whenCompleteAsync(
                (value, failure) -> {
                    if (failure == null) {
                        copy.complete(value);
                    } else {
                        copy.completeExceptionally(failure);
                    }
                },
                CALLER_SIDE);
        return copy;
    }

    private void execute(Runnable task) {
        try {
            threads.execute(task);
        } catch (RejectedExecutionException closed) {
            // The client is closed and its listeners were told to the end: nobody is left to hear this.
            LOG.log(System.Logger.Level.DEBUG, "An event came after closing", closed);
        }
    }

    // Whatever foreign code throws, an Error too, must cost neither a lock nor the thread.
    private static void guard(Runnable foreign) {
        try {
            foreign.run();
        } catch (Throwable thrown) {
            LOG.log(System.Logger.Level.WARNING, "A listener or callback threw; the locks are not affected", thrown);
        }
    }

    /** Lets what was announced be heard, for a second at the most. */
    @Override
    public void close() {
        threads.shutdown();
        try {
            if (!threads.awaitTermination(1, TimeUnit.SECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
