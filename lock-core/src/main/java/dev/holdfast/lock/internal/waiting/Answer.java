package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.lease.Grant;
import org.jspecify.annotations.Nullable;

/** The answer to one question for a lock. */
public sealed interface Answer {

    /**
     * The asker has the lock.
     *
     * @param grant held by nobody yet
     */
    record Granted(Grant grant) implements Answer {}

    /**
     * Another owner has it.
     *
     * @param retryAfterNanos what is left of the holder's lease, {@link Long#MAX_VALUE} for one without an end: before that, only a message
     *     makes it worth asking
     * @param holder the holder's id, if known
     * @param takenKey the key that the holder has, where several are asked for as one lock
     * @param sentAt when the question was sent
     * @param lastDrawn the last number that was drawn for a fencing token: every later grant has a greater one. {@link #NOT_TOLD} where no
     *     release ever grants this lock
     * @param nearHead whether the asker is one of the next in line; the others ask seldom
     * @param besideRedisson whether a client of Redisson has the lock, or its turn, before the asker: to hear of its release, listen to
     *     Redisson's channel
     */
    record Busy(
            long retryAfterNanos,
            @Nullable String holder,
            @Nullable String takenKey,
            long sentAt,
            long lastDrawn,
            boolean nearHead,
            boolean besideRedisson)
            implements Answer {

        /** No grant has a greater number. */
        public static final long NOT_TOLD = Long.MAX_VALUE;
    }

    /**
     * The outcome is unknown: Redis could not be asked or did not answer.
     *
     * @param problem what happened
     * @param isTransient whether asking again may help
     */
    record Unknown(Throwable problem, boolean isTransient) implements Answer {}
}
