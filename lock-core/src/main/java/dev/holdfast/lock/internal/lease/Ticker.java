package dev.holdfast.lock.internal.lease;

/** Monotonic time in nanoseconds. Compared by difference only; wall clocks are never read. */
@FunctionalInterface
public interface Ticker {

    /**
     * The present moment.
     *
     * @return nanoseconds since some fixed moment
     */
    long now();

    /**
     * The JVM's monotonic clock.
     *
     * @return the clock
     */
    static Ticker system() {
        return System::nanoTime;
    }
}
