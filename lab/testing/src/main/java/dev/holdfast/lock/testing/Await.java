package dev.holdfast.lock.testing;

import dev.holdfast.lock.proxy.Interrupts;
import java.time.Duration;
import java.util.concurrent.Callable;

/**
 * Waits for a state of a foreign process that tells nobody when it is reached, such as the agreement of sentinels. It has
 * to be asked again and again; this is the one place in the fixtures that sleeps.
 */
public final class Await {

    /** How long a test waits for what must come. It only ends a test that hangs, so it is far longer than anything takes on a slow machine. */
    public static final Duration PATIENCE = Duration.ofSeconds(60);

    /** The same for a whole test, which may wait several times, in seconds for {@code @Timeout}. */
    public static final long TEST_SECONDS = 300;

    private static final Duration PAUSE = Duration.ofMillis(10);

    private Await() {}

    /** Asks until the answer is yes. An exception counts as a no and is the cause of the failure in the end. */
    public static void until(String expectation, Duration limit, Callable<Boolean> condition) {
        long end = System.nanoTime() + limit.toNanos();
        Exception last = null;
        boolean over = false;
        while (!over) {
            // The last look comes after the limit, because the process may have stood still since the one before.
            over = System.nanoTime() - end >= 0;
            try {
                if (condition.call()) {
                    return;
                }
                last = null;
                Thread.sleep(PAUSE.toMillis());
            } catch (InterruptedException e) {
                throw Interrupts.rethrow(e);
            } catch (Exception e) {
                last = e;
                pauseAfter(e);
            }
        }
        throw new IllegalStateException("Not within " + limit + ": " + expectation, last);
    }

    private static void pauseAfter(Exception failure) {
        try {
            Thread.sleep(PAUSE.toMillis());
        } catch (InterruptedException e) {
            e.addSuppressed(failure);
            throw Interrupts.rethrow(e);
        }
    }
}
