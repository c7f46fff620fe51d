package dev.holdfast.lock.internal.lease;

import org.jspecify.annotations.Nullable;

/** The answer to one request for a lock: a {@link Grant}, whose lease is at least as long as requested, or a refusal. */
public sealed interface Answer permits Grant, Answer.Busy, Answer.Unknown {

    /**
     * Another owner has the lock.
     *
     * @param retryAfterNanos the rest of the holder's lease, or {@link Long#MAX_VALUE} for a lease without an end. During this time, another request
     *     is useful only after a message
     * @param holder the holder's id, if known
     * @param takenKey the key that the holder has, if several keys are requested as one lock
     * @param sentAt when the request was sent
     * @param lastDrawn the last number that was drawn for a fencing token, or {@link #NOT_TOLD} if no release ever grants this lock. Every later
     *     grant has a greater number
     * @param nearHead whether the requesting place is near the head of the queue. Places further back ask seldom
     * @param besideRedisson whether a client of Redisson has the lock, or its turn, first. Its release is announced only on Redisson's channel
     * @param closed whether Redis grants nothing yet, because it may have lost who has the lock
     */
    record Busy(
            long retryAfterNanos,
            @Nullable String holder,
            @Nullable String takenKey,
            long sentAt,
            long lastDrawn,
            boolean nearHead,
            boolean besideRedisson,
            boolean closed)
            implements Answer {

        /** Stands for an unknown number. No grant has a greater number. */
        public static final long NOT_TOLD = Long.MAX_VALUE;
    }

    /**
     * The outcome is unknown: Redis could not be reached or did not answer.
     *
     * @param problem the failure
     * @param isTransient whether another request may succeed
     */
    record Unknown(Throwable problem, boolean isTransient) implements Answer {}
}
