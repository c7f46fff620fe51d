package dev.holdfast.lock.internal.background;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs callers' code. An exception or error that the code throws affects neither a lock nor the thread. It is logged, but at most one in ten seconds
 * as a warning, because a listener may throw for each event, and thousands of leases may be lost at once.
 */
public final class CallbackGuard {

    private static final LockLog LOG = LockLog.LOG;

    private static final long BETWEEN_COMPLAINTS = TimeUnit.SECONDS.toNanos(10);

    private final AtomicLong nextComplaint = new AtomicLong(System.nanoTime());

    public void run(Runnable code) {
        try {
            code.run();
        } catch (Throwable thrown) {
            long now = System.nanoTime();
            long next = nextComplaint.get();
            boolean isDue = now - next >= 0 && nextComplaint.compareAndSet(next, now + BETWEEN_COMPLAINTS);
            LOG.log(
                    isDue ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG,
                    "A listener or callback threw; the locks are not affected",
                    thrown);
        }
    }
}
