package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.KindTraits;
import dev.holdfast.lock.internal.lease.LockId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The leases of a client by key. Redis grants a key only when nobody has it, so a newer grant shows that Redis has lost the older ones: their
 * holders are told at once, and not at their next renewal.
 */
public final class LeasesByKey {

    /**
     * A lease.
     *
     * @param writerOwner the owner of the write lock beside which it reads; null if none
     * @param next another lease on the same key; null if there is none
     */
    private record Held(
            HeldLease lease,
            @Nullable String writerOwner,
            @Nullable Held next) {

        /** Whether Redis never has both at once. */
        boolean excludes(Held other) {
            return lease.grant() != other.lease.grant()
                    && !(isShared() && other.isShared())
                    && !isBeside(other)
                    && !other.isBeside(this);
        }

        private boolean isShared() {
            return KindTraits.of(lease.kind()).isHeldBySeveral();
        }

        private boolean isBeside(Held writer) {
            return writer.lease.grant().owner().equals(writerOwner);
        }

        boolean isNewerThan(Held other) {
            return lease.grant().lastToken() > other.lease.grant().lastToken();
        }
    }

    private final Map<String, Held> byKey = new ConcurrentHashMap<>();

    /** Takes in a lease that begins; ends those that its grant shows to be gone, or the lease itself where a newer one shows that. */
    void add(HeldLease lease, @Nullable String writerOwner) {
        Held alone = new Held(lease, writerOwner, null);
        Held added =
                byKey.merge(lease.grant().key(), alone, (present, joining) -> new Held(lease, writerOwner, present));
        for (Held other = added.next; other != null; other = other.next) {
            if (added.excludes(other)) {
                Held older = added.isNewerThan(other) ? other : added;
                older.lease.gone();
            }
        }
        if (!lease.isLive()) {
            remove(lease);
        }
    }

    /** The grant of a lock that is held here at this moment; null if it is not. */
    @Nullable
    Grant held(LockId lock) {
        for (Held held = byKey.get(lock.key()); held != null; held = held.next) {
            if (held.lease.kind() == lock.kind() && held.lease.isHeld()) {
                return held.lease.grant();
            }
        }
        return null;
    }

    /** The lease has ended. */
    void remove(HeldLease lease) {
        byKey.computeIfPresent(lease.grant().key(), (key, present) -> without(lease, present));
    }

    private static @Nullable Held without(HeldLease ended, Held first) {
        Held left = null;
        for (Held held = first; held != null; held = held.next) {
            if (held.lease != ended) {
                left = new Held(held.lease, held.writerOwner, left);
            }
        }
        return left;
    }
}
