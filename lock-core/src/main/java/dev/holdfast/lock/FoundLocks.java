package dev.holdfast.lock;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The locks that {@link LockClient#findLocks()} has found in Redis.
 *
 * @param locks the held locks, sorted by name, at most 1,000
 * @param clientNames the names of the clients that hold a lock or have a place in a queue, by the clients' ids. Clients of other libraries have no
 *     name. Every user of that Redis can write the names, so escape them before use
 * @param missing why there may be more locks than these, such as the end of the time limit or a server that did not answer; null if every server has
 *     visited all of its keys
 */
public record FoundLocks(
        List<LockState> locks,
        Map<String, String> clientNames,
        @Nullable String missing) {

    /** Creates a result with its own copies of the collections. */
    public FoundLocks {
        locks = List.copyOf(locks);
        clientNames = Map.copyOf(clientNames);
    }

    /** Returns whether every server has visited all of its keys. A lock can nevertheless be missing if a slot of a cluster moved during the search. */
    public boolean isComplete() {
        return missing == null;
    }

    /**
     * Returns the name of the client that an owner id belongs to, if it is known.
     *
     * @param owner the owner id of a holder, or of a place in {@link LockState#queue()}
     */
    public Optional<String> clientName(String owner) {
        return Optional.ofNullable(clientNames.get(owner.split(":", 2)[0]));
    }
}
