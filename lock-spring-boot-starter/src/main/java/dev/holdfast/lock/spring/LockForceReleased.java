package dev.holdfast.lock.spring;

import dev.holdfast.lock.LockState;
import org.jspecify.annotations.Nullable;

/**
 * Application event: an operator took a lock away from its holder.
 *
 * @param lockName the lock
 * @param principal who asked for it; null where the application has no authentication
 * @param before the lock as it was just before; null if it was taken in between
 */
public record LockForceReleased(
        String lockName,
        @Nullable String principal,
        @Nullable LockState before) {}
