package dev.holdfast.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A held lock as Redis shows it, also if another client holds it.
 *
 * @param kind the kind as which it is held. Another library's fair lock is shown as {@link LockKind#REENTRANT} while its queue is empty
 * @param holders who holds it: one, or readers, or holders of a semaphore's permits; at most 20 of these, never empty
 * @param queue the owners' ids of the first 20 that wait in Redis, the next one first. A client has one place for all its waiters, in the queue of a
 *     fair lock one for each waiter. A client that does not wait beyond its own holder has none
 * @param remaining what is left until Redis drops the key; null where the key has no end
 * @param waitersHere how many wait for it in this client
 * @param holderCount how many hold it. Of more than 20, readers whose lease has ended may be counted until the next release
 * @param queueLength how many places its queue has, those of dead clients included until their deadline
 */
public record LockState(
        String lockName,
        LockKind kind,
        List<Holder> holders,
        List<String> queue,
        @Nullable Duration remaining,
        int waitersHere,
        int holderCount,
        int queueLength) {

    /** Keeps its own copies of the lists. */
    public LockState {
        holders = List.copyOf(holders);
        queue = List.copyOf(queue);
    }

    /**
     * A holder of a lock.
     *
     * @param owner the owner's id in Redis
     * @param client the owning client: the part before the first colon of the owner's id
     * @param thread the owner's thread id, where the owner's id tells one
     * @param holds the hold count in Redis; a holder of this library counts its re-entries locally and shows 1
     * @param fencingToken the first token of the grant, where the holder is of this library
     * @param since when Redis granted it, by the server's clock; null for a holder of another library
     * @param clientName what the owning client calls itself; null where that is not known (another library, a client that has not been heard of for
     *     minutes, Redis did not answer in time). Every user of that Redis can write it: escape it
     */
    public record Holder(
            String owner,
            String client,
            OptionalLong thread,
            int holds,
            OptionalLong fencingToken,
            @Nullable Instant since,
            @Nullable String clientName) {}

    /** The holder, or the first of the readers. */
    public Holder holder() {
        return holders.get(0);
    }

    /** The holder's id in Redis. */
    public String owner() {
        return holder().owner();
    }
}
