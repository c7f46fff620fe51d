package dev.holdfast.lock.internal.connection;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;

/** The threads on which connections are opened, since opening one blocks. */
final class Connectors {

    private final String name;
    private final ThreadFactory threads;
    private final Set<Thread> running = ConcurrentHashMap.newKeySet();

    Connectors(String name, ThreadFactory threads) {
        this.name = name;
        this.threads = threads;
    }

    /** Runs an attempt on a thread of its own. Fails if the system is out of threads. */
    Thread start(Runnable attempt) {
        Thread connector = threads.newThread(() -> {
            try {
                attempt.run();
            } finally {
                running.remove(Thread.currentThread());
            }
        });
        connector.setName("holdfast-connect-" + name);
        connector.setDaemon(true);
        running.add(connector);
        try {
            connector.start();
        } catch (RuntimeException | Error noThread) {
            running.remove(connector);
            throw noThread;
        }
        return connector;
    }

    /** Waits for running attempts: one whose event loops are shut down meanwhile may never end. */
    void await(Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        try {
            for (Thread connector : running) {
                connector.join(
                        Math.max(1, Duration.ofNanos(end - System.nanoTime()).toMillis()));
                connector.interrupt();
            }
        } catch (InterruptedException e) {
            // Closing continues; the attempts end by their own time limits.
            Thread.currentThread().interrupt();
        }
    }
}
