package dev.holdfast.check;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Interrupts threads after a delay. */
final class Interrupter implements AutoCloseable {

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "interrupter");
        thread.setDaemon(true);
        return thread;
    });

    /** Interrupts the calling thread after a delay, unless the returned task runs before. The task also clears the interrupt status. */
    Runnable interruptAfter(long micros) {
        Thread thread = Thread.currentThread();
        AtomicBoolean decided = new AtomicBoolean();
        timer.schedule(
                () -> {
                    synchronized (decided) {
                        if (decided.compareAndSet(false, true)) {
                            thread.interrupt();
                        }
                    }
                },
                micros,
                TimeUnit.MICROSECONDS);
        return () -> {
            synchronized (decided) {
                decided.set(true);
            }
            clearStatus();
        };
    }

    @SuppressWarnings("ReturnValueIgnored") // Thread.interrupted() clears the status.
    private static void clearStatus() {
        Thread.interrupted();
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
