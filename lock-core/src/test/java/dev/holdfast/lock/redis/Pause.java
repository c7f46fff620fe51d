package dev.holdfast.lock.redis;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Lets time pass, for tests whose subject is time itself. */
final class Pause {

    private Pause() {}

    static void of(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
