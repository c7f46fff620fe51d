package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.lease.LockId;
import org.jspecify.annotations.Nullable;

/**
 * What tells one waiting room of a client from another.
 *
 * @param lock the lock that is waited for
 * @param guest the only one that waits here, where it may not wait together with others; null for the lock's common room
 */
public record RoomId(LockId lock, @Nullable Object guest) {}
