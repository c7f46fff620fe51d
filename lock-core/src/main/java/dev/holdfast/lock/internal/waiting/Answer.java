package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.lease.Grant;
import org.jspecify.annotations.Nullable;

/** What asking for a lock brought. */
public sealed interface Answer {

    /**
     * The lock is ours.
     *
     * @param grant held by nobody yet
     */
    record Granted(Grant grant) implements Answer {}

    /**
     * Somebody has it.
     *
     * @param retryAfterNanos what is left of the holder's lease: before that, only a signal makes it worth asking
     * @param holder the holder's id, if known
     * @param which where several locks are asked for as one, the one that the holder has, in its source's words
     * @param nearHead whether the room is one of the next in line; the others ask seldom
     */
    record Busy(
            long retryAfterNanos,
            @Nullable String holder,
            @Nullable String which,
            boolean nearHead) implements Answer {}

    /**
     * Nobody knows: Redis could not be asked or did not answer.
     *
     * @param problem what happened
     * @param passing whether asking again may help
     */
    record Unknown(Throwable problem, boolean passing) implements Answer {}
}
