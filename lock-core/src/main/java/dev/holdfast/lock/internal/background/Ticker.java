package dev.holdfast.lock.internal.background;

/** Monotonic time in nanoseconds. Compared by difference only; wall clocks are never read. */
@FunctionalInterface
public interface Ticker {

    long now();

    /** The JVM's monotonic clock. */
    static Ticker system() {
        return Background.SYSTEM::nanoTime;
    }
}
