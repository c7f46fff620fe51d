package dev.holdfast.lock.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;

/**
 * What is raced: so many threads, on one name or on names of their own, so many levels deep.
 *
 * @param title what the table calls it
 * @param threads how many threads lock and unlock without a pause
 * @param oneName whether they want the same lock
 * @param depth how often each enters before it leaves
 */
record Scenario(String title, int threads, boolean oneName, int depth) {

    /** Outermost locks and unlocks a second. */
    double run(Contender contender, String prefix, long millis) throws InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        LongAdder cycles = new LongAdder();
        CountDownLatch ready = new CountDownLatch(threads);
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> runners = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Lock lock = contender.lock(prefix + (oneName ? "" : i));
            Thread runner = new Thread(() -> {
                ready.countDown();
                awaitUninterruptibly(go);
                while (!over.get()) {
                    enter(lock, depth);
                    cycles.increment();
                }
            });
            runner.start();
            runners.add(runner);
        }
        ready.await();
        long start = System.nanoTime();
        go.countDown();
        // The time that the race lasts, not a wait for anything.
        Thread.sleep(millis);
        over.set(true);
        double seconds = (System.nanoTime() - start) / 1e9;
        double rate = cycles.sum() / seconds;
        for (Thread runner : runners) {
            runner.join();
        }
        return rate;
    }

    private static void enter(Lock lock, int depth) {
        lock.lock();
        try {
            if (depth > 1) {
                enter(lock, depth - 1);
            }
        } finally {
            lock.unlock();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
