package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockRecord.Reading;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Decides, by the record beside the lock, whether a call still has to run. Equal objects decide the same. */
sealed interface Once permits OncePerTick {

    /** Returns the name of what the user wrote, for messages. */
    String attribute();

    /** Returns whether a run counts only when it has succeeded, so that another call repeats one that failed. */
    boolean retries();

    /**
     * Returns what a run that begins now leaves in the record.
     *
     * @throws AlreadyRan if the call has nothing to run
     */
    Claim claim(String lockName, Reading reading);

    /**
     * What a run leaves in the record.
     *
     * @param atStart the text that is written before the run; null for none
     * @param atSuccess the text that is written when the run has succeeded; null for none
     * @param keep for how long either text is kept
     */
    record Claim(@Nullable String atStart, @Nullable String atSuccess, Duration keep) {
        static final Claim NOTHING = new Claim(null, null, Duration.ZERO);
    }

    /** What a call would run has run already, here or on another instance. The call is skipped. */
    final class AlreadyRan extends LockException {
        private static final long serialVersionUID = 1L;

        AlreadyRan(String lockName, String message) {
            super(lockName, message, null);
        }
    }
}
