package dev.holdfast.lock.composite;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** When a wait ends, on the monotonic clock. A wait that does not fit into nanoseconds never ends. */
final class Deadline {

    private final Duration wait;
    private final long waitNanos;
    private final long since = System.nanoTime();

    private Deadline(Duration wait, long waitNanos) {
        this.wait = wait;
        this.waitNanos = waitNanos;
    }

    static Deadline in(@Nullable Duration wait) {
        if (wait == null) {
            throw new IllegalArgumentException("'wait' must not be null");
        }
        return new Deadline(wait, nanos(wait));
    }

    private static long nanos(Duration wait) {
        try {
            return wait.toNanos();
        } catch (ArithmeticException tooLong) {
            return wait.isNegative() ? 0 : Long.MAX_VALUE;
        }
    }

    /** The wait as the caller gave it. */
    Duration asked() {
        return wait;
    }

    long leftNanos() {
        return waitNanos == Long.MAX_VALUE
                ? Long.MAX_VALUE
                : Math.max(0, waitNanos - Math.max(0, System.nanoTime() - since));
    }

    Duration left() {
        return Duration.ofNanos(leftNanos());
    }

    boolean isOver() {
        return leftNanos() == 0;
    }
}
