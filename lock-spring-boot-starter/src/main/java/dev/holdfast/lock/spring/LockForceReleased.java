package dev.holdfast.lock.spring;

import dev.holdfast.lock.LockState;
import org.jspecify.annotations.Nullable;

/**
 * Application event: an operator released a lock by force.
 *
 * @param lockName the lock
 * @param principal the operator; null if the application has no authentication
 * @param before the lock just before; null if it was acquired in between
 */
public record LockForceReleased(
        String lockName,
        @Nullable String principal,
        @Nullable LockState before) {}
