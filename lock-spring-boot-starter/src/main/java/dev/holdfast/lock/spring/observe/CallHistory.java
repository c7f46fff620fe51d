package dev.holdfast.lock.spring.observe;

import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.AroundLock.LockCall;
import dev.holdfast.lock.spring.call.AroundOperation;
import dev.holdfast.lock.spring.call.Refusal;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What became of the calls of one method under one lock, on this instance since it started. Counted here, so that it costs no request to Redis. A
 * call that runs without a lock of its own does not count. Thread-safe.
 */
final class CallHistory implements AroundOperation {

    private long runs;
    private long skipped;
    private @Nullable Run last;

    /**
     * A run that has ended. It took the time from the start of the method until the lock was about to be released, which is after the work behind the
     * method's result, and after its transaction.
     *
     * @param at the start, by this instance's clock
     * @param succeeded whether it ended without an exception; a lost lease is none
     */
    record Run(Instant at, Duration took, boolean succeeded) {}

    /**
     * The counts at one time.
     *
     * @param runs the runs that have ended
     * @param skipped the calls that did not run the method, because the lock was not acquired or there was nothing to run
     * @param lastRun the run that ended last; null if there is none
     */
    record Counts(long runs, long skipped, @Nullable Run lastRun) {}

    synchronized void ran(Duration took, boolean succeeded) {
        runs++;
        last = new Run(Instant.now().minus(took), took, succeeded);
    }

    synchronized void skipped() {
        skipped++;
    }

    /** Returns the counts of this moment. */
    synchronized Counts counts() {
        return new Counts(runs, skipped, last);
    }

    /** Counts one call. */
    @Override
    public AroundLock around(LockCall call) {
        CallHistory history = this;
        return new AroundLock() {
            @Override
            public void refused(Refusal refusal) {
                if (!refusal.proceeds()) {
                    history.skipped();
                }
            }

            @Override
            public CompletableFuture<?> beforeRelease(RunEnd end, boolean blocking) {
                if (end.took() != null) {
                    history.ran(end.took(), !end.failed());
                }
                return DONE;
            }
        };
    }
}
