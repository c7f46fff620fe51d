package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.lease.Grant;
import java.util.concurrent.TimeUnit;
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
     * @param retryAfterNanos what is left of the holder's lease: before that, only a message makes it worth asking
     * @param holder the holder's id, if known
     * @param takenKey the key that the holder has, where several are asked for as one lock
     * @param sentAt when the question was sent
     * @param lastDrawn the last number that was drawn for a fencing token: every later grant has a greater one. {@link #NOT_TOLD} where no
     *     release ever grants this lock
     * @param nearHead whether the asker is one of the next in line; the others ask seldom
     */
    record Busy(
            long retryAfterNanos,
            @Nullable String holder,
            @Nullable String takenKey,
            long sentAt,
            long lastDrawn,
            boolean nearHead)
            implements Answer {

        /** No grant has a greater number. */
        public static final long NOT_TOLD = Long.MAX_VALUE;

        /** Converts what Redis says: a negative time for a key without an end, an empty text for an unknown holder. */
        public static Busy of(
                long retryAfterMillis,
                String holder,
                @Nullable String takenKey,
                long sentAt,
                long lastDrawn,
                boolean nearHead) {
            return new Busy(
                    retryAfterMillis < 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(retryAfterMillis),
                    holder.isEmpty() ? null : holder,
                    takenKey,
                    sentAt,
                    lastDrawn,
                    nearHead);
        }
    }

    /**
     * The outcome is unknown: Redis could not be asked or did not answer.
     *
     * @param problem what happened
     * @param passing whether asking again may help
     */
    record Unknown(Throwable problem, boolean passing) implements Answer {}
}
