package dev.holdfast.lock.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;

/** The threads of a simulated process that block. Each task has a thread of its own, and only one thread in the world runs at a time. */
final class SimulatedThreads extends AbstractExecutorService {

    private static final Map<Thread, CompletableFuture<Void>> INTERRUPTS = new ConcurrentHashMap<>();

    /** A task that can be interrupted while it waits. */
    private static final class Task<T> extends FutureTask<T> {
        private final CompletableFuture<Void> interrupt = new CompletableFuture<>();

        Task(Runnable body, T value) {
            super(body, value);
        }

        @Override
        public void run() {
            INTERRUPTS.put(Thread.currentThread(), interrupt);
            try {
                super.run();
            } finally {
                INTERRUPTS.remove(Thread.currentThread());
            }
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            boolean canceled = super.cancel(false);
            if (canceled && mayInterrupt) {
                interrupt();
            }
            return canceled;
        }

        void interrupt() {
            interrupt.complete(null);
        }
    }

    private final SimulatedProcess process;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private boolean shutDown;
    private final List<Runnable> running = new ArrayList<>();

    SimulatedThreads(SimulatedProcess process) {
        this.process = process;
    }

    /** Blocks the current task for the given time. */
    static void sleep(World world, long nanos) throws InterruptedException {
        if (!INTERRUPTS.containsKey(Thread.currentThread())) {
            throw new IllegalStateException("Only a task of these threads may sleep");
        }
        await(world, new CompletableFuture<>(), nanos);
    }

    /** Blocks until the future is done, the time is over, or the current thread's task is interrupted. */
    static void await(World world, CompletableFuture<?> future, long nanos) throws InterruptedException {
        CompletableFuture<Void> interrupt = INTERRUPTS.get(Thread.currentThread());
        world.fibers.await(interrupt == null ? future : CompletableFuture.anyOf(future, interrupt), nanos);
        if (interrupt != null && interrupt.isDone() && !future.isDone()) {
            throw new InterruptedException();
        }
    }

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Runnable task, T value) {
        return new Task<>(task, value);
    }

    @Override
    public void execute(Runnable task) {
        if (shutDown) {
            throw new RejectedExecutionException("shut down");
        }
        running.add(task);
        process.world.fibers.start(process, () -> {
            task.run();
            running.remove(task);
            endIfIdle();
        });
    }

    private void endIfIdle() {
        if (shutDown && running.isEmpty()) {
            ended.complete(null);
        }
    }

    @Override
    public void shutdown() {
        shutDown = true;
        endIfIdle();
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown();
        for (Runnable task : List.copyOf(running)) {
            if (task instanceof Task<?> interruptible) {
                interruptible.interrupt();
            }
        }
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return shutDown;
    }

    @Override
    public boolean isTerminated() {
        return ended.isDone();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        process.world.fibers.await(ended, process.inWorldTime(unit.toNanos(timeout)));
        return ended.isDone();
    }
}
