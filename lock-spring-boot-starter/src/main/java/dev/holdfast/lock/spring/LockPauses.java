package dev.holdfast.lock.spring;

import java.time.Duration;
import java.util.List;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * Switches annotated methods off for a time, on all instances, without a restart. A call that would run meanwhile does what it does if its lock is
 * busy: it skips, is answered by its fallback, or throws {@link LockPausedException}. A {@code @Scheduled} method without a fallback always skips.
 *
 * <p>Only locks that are {@code pausable} in the configuration can be paused, because each run of their methods asks Redis for pauses, under its
 * lock. So no call that asks after the pause was set begins, and a run that has begun goes on. Calls of a {@link dev.holdfast.lock.LockClient} are not
 * affected. The bean of this type pauses by code what the endpoint {@code jobs} pauses by request. Thread-safe.
 */
public interface LockPauses {

    /** The longest pause: 30 days. */
    Duration MAX_TIME = Duration.ofDays(30);

    /** The longest reason, in characters. */
    int MAX_REASON = 200;

    /**
     * Pauses the methods of a lock. An earlier pause of the same lock is replaced. Logged as a warning, and published as a {@link LockPaused}.
     *
     * @param name the lock's declared name
     * @param time how long the pause lasts, 1 s to {@link #MAX_TIME}
     * @param by who asks for it; null if that is unknown. Of a name with more than 100 characters, the middle is left out
     * @param reason why, 1 to {@value #MAX_REASON} characters
     * @throws IllegalArgumentException if no lock of that name is pausable, if the time, the name or the reason is out of bounds, or if there are so
     *     many pauses that their texts exceed 4,096 bytes
     * @throws dev.holdfast.lock.LockException if Redis did not answer; the lock may be paused or not
     */
    LockPause pause(String name, Duration time, @Nullable String by, String reason);

    /**
     * Ends a pause now. Logged as a warning, and published as a {@link LockResumed}.
     *
     * @param name the lock's declared name
     * @param by who asks for it; null if that is unknown
     * @return false if the lock was not paused
     * @throws dev.holdfast.lock.LockException if Redis did not answer; the lock may be paused or not
     */
    boolean resume(String name, @Nullable String by);

    /** {@return the declared names of the locks of this application that can be paused} */
    SortedSet<String> pausable();

    /**
     * Returns the pauses of the fleet, which is all clients with the same key prefix. Asks Redis, unless no lock of this instance is pausable.
     *
     * @throws dev.holdfast.lock.LockUnavailableException if Redis did not answer
     */
    List<LockPause> all();
}
