package dev.holdfast.lock.spring;

import org.jspecify.annotations.Nullable;

/**
 * Runs a {@code @Scheduled} method with a lock at once, on this instance, as its scheduler would. The bean of this type does by code what the endpoint
 * {@code locks} does by request. Thread-safe.
 */
public interface JobRuns {

    /** The longest reason, in characters. */
    int MAX_REASON = 200;

    /**
     * Starts a run under the lock of the method, on a thread of its own, and returns when the method has begun. It does not wait for a busy lock, and
     * a pause skips it. Logged as a warning, and published as a {@link JobStarted}.
     *
     * @param name the lock's declared name
     * @param countsAsTick whether the run is that of the present tick, which then runs once. Otherwise, the run neither asks for the tick nor
     *     counts as one
     * @param by who asks for it; null if that is unknown
     * @param reason why, 1 to {@value #MAX_REASON} characters on one line
     * @throws IllegalArgumentException if the name does not belong to exactly one scheduled method of exactly one bean, if its lock is switched
     *     off, if it has no ticks and the run is to count as one, or if the reason is out of bounds
     * @throws dev.holdfast.lock.LockNotAcquiredException if the lock is busy, with its holder, or paused
     * @throws dev.holdfast.lock.LockUnavailableException if Redis did not answer. The method does not run then, whatever its policy is
     * @throws IllegalStateException if the method did not begin for another reason: the present tick has run already
     */
    void runNow(String name, boolean countsAsTick, @Nullable String by, String reason);
}
