package dev.holdfast.lock.benchmarks;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Lock;

/** A thread that acquires and releases its own lock every ten milliseconds, and measures how long that takes. */
final class Bystander {

    private final Queue<Double> millis = new ConcurrentLinkedQueue<>();
    private final Thread thread;

    Bystander(Contender client) {
        Lock lock = client.lock("bystander");
        this.thread = new Thread(() -> run(lock), "bystander");
        thread.start();
    }

    private void run(Lock lock) {
        try {
            while (true) {
                long start = System.nanoTime();
                lock.lockInterruptibly();
                lock.unlock();
                millis.add((System.nanoTime() - start) / 1e6);
                // The pause between two acquisitions.
                Thread.sleep(10);
            }
        } catch (InterruptedException e) {
            // The bystander was stopped.
        }
    }

    /** Stops the thread. Returns a percentile of the measured times, in ms. */
    double stop(double percent) throws InterruptedException {
        thread.interrupt();
        thread.join();
        return Table.percentile(millis, percent);
    }
}
