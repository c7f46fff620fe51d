package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockNotYetGrantedException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.declaration.LockOperation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The lock that the call did not get, and why.
 *
 * @param outcome the word for it in observations
 * @param skips whether the call returns an empty result
 * @param isBusy whether the lock was held
 */
public record Refusal(LockOperation operation, LockException reason, String outcome, boolean skips, boolean isBusy) {

    private static final String SKIPPED = "dev.holdfast.lock.skipped.";

    /** Returns the refusal that a failure means; null if it is a failure. */
    static @Nullable Refusal of(LockOperation operation, Throwable failure) {
        if (failure instanceof ByFeature refused) {
            return new Refusal(operation, refused.reason, refused.outcome, refused.skips, false);
        }
        if (failure instanceof LockNotAcquiredException busy) {
            boolean skips = operation.skipsBusy();
            return new Refusal(operation, busy, skips ? "skipped" : "busy", skips, true);
        }
        if (failure instanceof LockUnavailableException unavailable) {
            boolean skips = operation.settings().onUnavailable() == OnUnavailable.SKIP;
            return new Refusal(operation, unavailable, "unavailable", skips, false);
        }
        return null;
    }

    /**
     * Logs a call that returns without having run its method, with a logger for each declared lock. A call that throws is not logged, because its caller
     * has the exception.
     */
    void logSkip() {
        boolean answered = reason instanceof LockNotAcquiredException && operation.fallback() != null;
        if (skips || answered) {
            Log log = LogFactory.getLog(SKIPPED + operation.name());
            if (log.isDebugEnabled()) {
                log.debug("Skipped " + operation.signature() + ": " + reason.getMessage());
            }
        }
    }

    /** Returns whether the method runs without this lock. */
    public boolean proceeds() {
        // While holders can still say that they have the lock, no policy runs the method without it.
        return reason instanceof LockUnavailableException
                && !(reason instanceof LockNotYetGrantedException)
                && operation.settings().onUnavailable() == OnUnavailable.PROCEED;
    }

    /** Refuses the call on behalf of a feature. */
    public static final class ByFeature extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final LockException reason;
        private final String outcome;
        private final boolean skips;

        /**
         * Creates a refusal.
         *
         * @param outcome the word for the refusal in observations
         * @param skips whether the call returns an empty result. If not, its fallback answers, or the reason is thrown
         */
        public ByFeature(LockException reason, String outcome, boolean skips) {
            super(reason);
            this.reason = reason;
            this.outcome = outcome;
            this.skips = skips;
        }
    }
}
