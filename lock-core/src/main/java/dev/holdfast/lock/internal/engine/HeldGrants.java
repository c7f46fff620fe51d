package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.lease.HeldLease;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The leases of a client by key. Redis grants a key only when nobody has it, so a newer grant shows that Redis has lost the older ones: their
 * holders are told at once, and not at their next renewal.
 */
public final class HeldGrants {

    /**
     * A lease.
     *
     * @param writerOwner the owner of the write lock beside which it reads; null if none
     */
    private record Held(HeldLease lease, @Nullable String writerOwner) {

        /** Whether Redis never has both at once. */
        boolean excludes(Held other) {
            return lease.grant() != other.lease.grant()
                    && !(isShared() && other.isShared())
                    && !isBeside(other)
                    && !other.isBeside(this);
        }

        private boolean isShared() {
            return lease.kind() == LockKind.READ || lease.kind().isSemaphore();
        }

        private boolean isBeside(Held writer) {
            return writer.lease.grant().owner().equals(writerOwner);
        }

        boolean isNewerThan(Held other) {
            return lease.grant().lastToken() > other.lease.grant().lastToken();
        }
    }

    private final Map<String, List<Held>> byKey = new ConcurrentHashMap<>();

    /** Takes in a lease that begins; ends those that its grant shows to be gone, or the lease itself where a newer one shows that. */
    void add(HeldLease lease, @Nullable String writerOwner) {
        Held added = new Held(lease, writerOwner);
        List<Held> all = byKey.merge(lease.grant().key(), List.of(added), HeldGrants::joined);
        if (all.size() > 1) {
            all.stream()
                    .filter(added::excludes)
                    .map(other -> added.isNewerThan(other) ? other : added)
                    .forEach(older -> older.lease.lose(LossCause.GONE));
        }
        if (!lease.isLive()) {
            remove(lease);
        }
    }

    private static List<Held> joined(List<Held> present, List<Held> added) {
        return Stream.concat(present.stream(), added.stream()).toList();
    }

    /** The lease has ended. */
    void remove(HeldLease lease) {
        byKey.computeIfPresent(lease.grant().key(), (key, present) -> {
            if (present.size() == 1) {
                return present.get(0).lease == lease ? null : present;
            }
            List<Held> left =
                    present.stream().filter(held -> held.lease != lease).toList();
            return left.isEmpty() ? null : left;
        });
    }
}
