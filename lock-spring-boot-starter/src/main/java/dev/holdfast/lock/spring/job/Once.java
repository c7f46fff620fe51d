package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockRecord.Reading;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Decides, by the record beside the lock, whether a call still has to run. Equal objects decide the same. */
interface Once {

    /** Returns the name of what the user wrote, for messages. */
    String attribute();

    /** Returns whether a run that fails is repeated only by calls that wait. */
    boolean needsWaiters();

    /**
     * Returns what a run that begins now leaves in the record.
     *
     * @throws AlreadyRan if the call has nothing to run
     */
    Claim claim(Look look);

    /** Called when a run that has begun has ended. */
    default void ended(String lockName, boolean succeeded) {}

    /** Returns whether {@link #claim} asks who holds the lock. */
    default boolean needsHolder() {
        return false;
    }

    /**
     * What a call sees.
     *
     * @param underLock whether the call holds the lock; if not, another call may hold it and run
     * @param holder returns the name of the instance that holds the lock now; null if it is not held. Asks Redis
     */
    record Look(String lockName, Reading reading, boolean underLock, Supplier<@Nullable String> holder) {}

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
