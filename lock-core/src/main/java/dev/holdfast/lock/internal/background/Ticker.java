package dev.holdfast.lock.internal.background;

/** A source of monotonic time in nanoseconds. Its values are only used for differences. Wall clocks are never read. */
@FunctionalInterface
public interface Ticker {

    long now();

    /** Returns the JVM's monotonic clock. */
    static Ticker system() {
        return Background.SYSTEM::nanoTime;
    }
}
