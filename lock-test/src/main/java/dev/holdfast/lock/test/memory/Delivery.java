package dev.holdfast.lock.test.memory;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Runs tasks one after the other, in order. It occupies a thread only while there are tasks. */
public final class Delivery implements Executor {

    private static final ExecutorService THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "holdfast-test-messages");
        thread.setDaemon(true);
        return thread;
    });

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private boolean running;
    private Thread worker = Thread.currentThread();

    @Override
    public synchronized void execute(Runnable task) {
        tasks.add(task);
        if (!running) {
            running = true;
            THREADS.execute(this::runAll);
        }
    }

    private void runAll() {
        synchronized (this) {
            worker = Thread.currentThread();
        }
        for (Runnable task = next(); task != null; task = next()) {
            task.run();
        }
    }

    private synchronized Runnable next() {
        Runnable next = tasks.poll();
        if (next == null) {
            running = false;
            notifyAll();
        }
        return next;
    }

    /** Waits until there is no task. Returns at once if a task calls it. */
    public synchronized void awaitIdle() {
        boolean interrupted = false;
        while (running && worker != Thread.currentThread()) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
