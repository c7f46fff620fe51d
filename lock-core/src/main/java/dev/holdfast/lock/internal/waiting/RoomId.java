package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.lease.LockId;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a waiting room within a client.
 *
 * @param lock the lock that the waiters of the room wait for
 * @param guest identifies the waiter of a room for a single waiter; null for the lock's common room
 */
public record RoomId(LockId lock, @Nullable Object guest) {}
