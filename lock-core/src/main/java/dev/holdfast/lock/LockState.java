package dev.holdfast.lock;

import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A held lock as Redis shows it, whoever holds it.
 *
 * @param lockName the lock
 * @param owner the owner's id in Redis
 * @param client the owning client: what stands before the first colon of the owner's id
 * @param thread the owner's thread id, where the owner's id tells one
 * @param holds the hold count in Redis; a holder of this library counts its re-entries locally and shows 1
 * @param fencingToken the first token of the grant, where the holder is of this library
 * @param remaining what is left until Redis drops the key; null where the key has no end
 * @param waitersHere how many wait for it in this client
 */
public record LockState(
        String lockName,
        String owner,
        String client,
        OptionalLong thread,
        int holds,
        OptionalLong fencingToken,
        @Nullable Duration remaining,
        int waitersHere) {}
