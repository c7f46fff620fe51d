package dev.holdfast.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The state of a held lock in Redis. Any client may hold the lock.
 *
 * @param kind the kind as which the lock is held. The fair lock of another library is shown as {@link LockKind#REENTRANT} while its queue is empty
 * @param holders the one holder, or the readers, or the holders of a semaphore's permits. Has at least one and at most 20 elements
 * @param queue the owner ids of the first 20 places in the lock's queue in Redis, the next to be granted first. A client has one place for all its
 *     waiters, but for a fair lock one place for each waiter. A client whose waiters only wait for a holder of the same client has no place
 * @param remaining the time until Redis drops the key; null if the key does not expire
 * @param waitersHere the number of this client's waiters for the lock
 * @param holderCount the number of holders. If there are more than 20, it may include readers whose lease has ended, until the next release
 * @param queueLength the number of places in the queue. Places of dead clients are included until their deadline
 * @param stopRequested whether the holder was {@linkplain LockClient#requestStop asked to stop}
 */
public record LockState(
        String lockName,
        LockKind kind,
        List<Holder> holders,
        List<String> queue,
        @Nullable Duration remaining,
        int waitersHere,
        int holderCount,
        int queueLength,
        boolean stopRequested) {

    /** Creates a state with its own copies of the lists. */
    public LockState {
        holders = List.copyOf(holders);
        queue = List.copyOf(queue);
    }

    /**
     * A holder of a lock.
     *
     * @param owner the owner id in Redis
     * @param client the id of the owning client, which is the part of the owner id before the first colon
     * @param thread the owner's thread id, if the owner id contains one
     * @param holds the hold count in Redis; a holder of this library counts its re-entries locally and shows 1
     * @param fencingToken the first fencing token of the grant, if the holder uses this library
     * @param since when Redis granted the lock, by the server's clock; null for a holder of another library
     * @param clientName the name that the owning client gave itself; null if unknown (the client uses another library, has not announced its name for
     *     minutes, or Redis did not answer in time). Every user of that Redis can write the name, so escape it before use
     */
    public record Holder(
            String owner,
            String client,
            OptionalLong thread,
            int holds,
            OptionalLong fencingToken,
            @Nullable Instant since,
            @Nullable String clientName) {}

    /** Returns the holder, or the first of several holders. */
    public Holder holder() {
        return holders.get(0);
    }

    /** Returns the owner id of the holder, or of the first of several holders. */
    public String owner() {
        return holder().owner();
    }
}
