package dev.holdfast.lock.spring;

import dev.holdfast.lock.LockState;
import org.jspecify.annotations.Nullable;

/**
 * An application event: an operator released a lock by force.
 *
 * @param lockName the lock
 * @param by who did; null if the application has no authentication
 * @param before the lock's state just before the release; null if the lock was still free then and was acquired in between
 */
public record LockForceReleased(
        String lockName, @Nullable String by, @Nullable LockState before) {}
