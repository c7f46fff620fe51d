package dev.holdfast.lock.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;

/** The threads of one round in one worker, and their counts. There is one thread for each given lock. */
final class WorkerThreads {

    private static final long MILLIS_TO_END = 1_000;

    private final Work work;
    private final Ledger ledger;
    private final long process;
    private final AtomicLongArray counts;
    private final LongAdder switches = new LongAdder();
    private final Queue<Long> samples = new ConcurrentLinkedQueue<>();
    private final CountDownLatch entered;
    private final CountDownLatch leave = new CountDownLatch(1);
    private final CountDownLatch left;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicBoolean failed = new AtomicBoolean();
    private volatile boolean over;
    private volatile long lastNanos;

    WorkerThreads(Work work, Ledger ledger, List<Lock> locks) {
        this.work = work;
        this.ledger = ledger;
        this.process = ProcessHandle.current().pid();
        this.counts = new AtomicLongArray(locks.size());
        this.entered = new CountDownLatch(locks.size());
        this.left = new CountDownLatch(locks.size());
        for (int i = 0; i < locks.size(); i++) {
            int thread = i;
            threads.add(ContenderThread.start(() -> run(locks.get(thread), thread)));
        }
    }

    private void run(Lock lock, int thread) {
        while (!over) {
            try {
                work.step(lock, this, thread);
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                // Redisson reports an interrupt in unlock() with its own exception.
                if (!over && failed.compareAndSet(false, true)) {
                    System.err.println("The first failure of a worker's round: " + lock + ": " + e);
                }
            }
        }
    }

    long process() {
        return process;
    }

    Ledger ledger() {
        return ledger;
    }

    boolean enter() {
        boolean switched = ledger.enter(process);
        if (switched) {
            switches.increment();
        }
        return switched;
    }

    void leave() {
        ledger.leave();
    }

    void count(int thread) {
        counts.incrementAndGet(thread);
    }

    void sample(long nanos) {
        samples.add(nanos);
    }

    void stay() throws InterruptedException {
        lastNanos = System.nanoTime();
        entered.countDown();
        leave.await();
    }

    void left() {
        left.countDown();
    }

    /** Returns the time at which the last thread entered, by the clock that the processes share; 0 if a thread did not enter in time. */
    long awaitEntered(long seconds) throws InterruptedException {
        return entered.await(seconds, TimeUnit.SECONDS) ? lastNanos : 0;
    }

    void awaitLeft(long seconds) throws InterruptedException {
        leave.countDown();
        if (!left.await(seconds, TimeUnit.SECONDS)) {
            System.err.println(left.getCount() + " did not leave in time");
        }
    }

    Counts counts() {
        List<Long> each = new ArrayList<>();
        for (int i = 0; i < counts.length(); i++) {
            each.add(counts.get(i));
        }
        return new Counts(each, switches.sum(), MessageCounter.received(), JvmCost.now());
    }

    List<Long> samples() {
        return List.copyOf(samples);
    }

    void clearSamples() {
        samples.clear();
    }

    void stop() throws InterruptedException {
        over = true;
        leave.countDown();
        // Threads first get time to end by themselves, because an interrupt would itself be a fault.
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MILLIS_TO_END);
        for (Thread thread : threads) {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
        }
        threads.forEach(Thread::interrupt);
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
