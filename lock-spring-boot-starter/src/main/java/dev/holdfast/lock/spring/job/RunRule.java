package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockRecord.Reading;
import dev.holdfast.lock.spring.Tick;
import dev.holdfast.lock.spring.call.AroundLock.RunEnd;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.job.TickRecord.Run;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Decides, by the record beside the lock, whether a call still has to run. Equal objects decide the same. */
interface RunRule {

    /** Returns the name of what the user wrote, for messages. */
    String attribute();

    /** Returns whether a run that fails is repeated only by calls that wait. */
    boolean needsWaiters();

    /**
     * Checks before the lock is requested that the call may have something to run. Another call may hold the lock and run it.
     *
     * @param holder passes on the name of the instance that holds the lock now, if it is held. Asks Redis
     * @return whether the record, if it has not changed, can be claimed under the lock as well
     * @throws AlreadyRan if the call has nothing to run
     */
    boolean check(Look look, Consumer<Consumer<String>> holder);

    /**
     * Returns what a run that begins now, under the lock, leaves in the record.
     *
     * @throws AlreadyRan if the call has nothing to run
     */
    Claim claim(Look look);

    /** Called when a run begins. */
    default void began(String lockName, String instance) {}

    /** Called when a run that has begun has ended. */
    default void ended(String lockName, boolean succeeded) {}

    /** Returns what this instance knows of the job; null if records do not say what happened to ticks. */
    default @Nullable KnownJob job(String lockName, LockOperation operation) {
        return null;
    }

    /**
     * What a call sees.
     *
     * @param instance the name of this instance
     * @param job what this instance knows of the job
     * @param repeats the claim of the attempt before, if this is one more attempt of a call that has failed; else null
     */
    record Look(
            String lockName,
            Reading reading,
            String instance,
            @Nullable KnownJob job,
            @Nullable Claim repeats) {}

    /**
     * What a run leaves in the record.
     *
     * @param tick the tick that runs; null if none does
     * @param run the run as the record says it; null if the record does not
     * @param atStart the text that is written before the run; null for none
     * @param atEnd returns the text that is written when the run has ended; null for none
     * @param keep for how long either text is kept
     */
    record Claim(
            @Nullable Tick tick,
            @Nullable Run run,
            @Nullable String atStart,
            Function<RunEnd, @Nullable String> atEnd,
            Duration keep) {
        static final Claim NOTHING = new Claim(null, null, null, end -> null, Duration.ZERO);
    }

    /** What a call would run has run already, here or on another instance. The call is skipped. */
    final class AlreadyRan extends LockException {
        private static final long serialVersionUID = 1L;

        AlreadyRan(String lockName, String message) {
            super(lockName, message, null);
        }
    }
}
