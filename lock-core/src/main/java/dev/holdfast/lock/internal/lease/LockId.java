package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.LockKind;

/**
 * What tells one lock of a client from another. Locks of one key but different kinds are different locks.
 *
 * @param kind how it is acquired
 * @param key its key in Redis
 */
public record LockId(LockKind kind, String key) {}
