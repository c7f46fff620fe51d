package dev.holdfast.lock.proxy;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Tells a test when, and how often, a fault of the {@link FaultProxy} has really struck. Thread-safe. */
public final class Strike {

    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final String fault;
    private int count;

    Strike(String fault) {
        this.fault = fault;
    }

    /** Waits for the first strike; fails after 10 s. */
    public void await() {
        await(1);
    }

    /** Waits until the fault has struck that often; fails after 10 s. */
    public synchronized void await(int times) {
        long end = System.nanoTime() + LIMIT.toNanos();
        try {
            while (count < times) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    throw new AssertionError("'" + fault + "' was to happen " + times + " times within " + LIMIT
                            + ", but happened " + count + " times");
                }
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        } catch (InterruptedException e) {
            throw Interrupts.rethrow(e);
        }
    }

    public synchronized int count() {
        return count;
    }

    public boolean hasStruck() {
        return count() > 0;
    }

    @Override
    public String toString() {
        return fault + ", " + count() + " times so far";
    }

    synchronized void struck() {
        count++;
        notifyAll();
    }
}
