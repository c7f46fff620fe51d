package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.OnUnavailable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of one lock, or of all where nothing else is said; null says nothing. What stands in the configuration under a lock's name wins over
 * its annotation, so that it can be changed without a release; the annotation wins over the settings for all.
 *
 * @param enabled whether the lock is taken at all; false runs the body without it
 * @param waitTime how long a call waits for a busy lock
 * @param leaseTime the length of the lease; without one it is renewed while the body runs
 * @param minHold how long the lock stays taken at least
 * @param maxHold how long it is held at the most
 * @param onBusy what becomes of a call that did not get the lock
 * @param onUnavailable what becomes of a call when Redis could not be asked
 * @param onLost what becomes of a call whose lease is lost
 */
public record LockSettings(
        @Nullable Boolean enabled,
        @Nullable Duration waitTime,
        @Nullable Duration leaseTime,
        @Nullable Duration minHold,
        @Nullable Duration maxHold,
        @Nullable OnBusy onBusy,
        @Nullable OnUnavailable onUnavailable,
        @Nullable OnLost onLost) {

    /** Says nothing. */
    public static final LockSettings NONE = new LockSettings(null, null, null, null, null, null, null, null);
}
