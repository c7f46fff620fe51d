package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.KindTraits;
import dev.holdfast.lock.internal.lease.LockId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The leases of a client by key. Redis grants a key only if nobody has it, so a newer grant shows that Redis has lost the older grants. Their holders
 * are then notified at once instead of at their next renewal.
 */
final class LeasesByKey {

    /**
     * A lease on a key.
     *
     * @param writerOwner the owner id of the write lock that the same thread holds while it reads, or null
     * @param next another lease on the same key, or null
     */
    private record Held(
            HeldLease lease,
            @Nullable String writerOwner,
            @Nullable Held next) {

        /** Returns whether Redis can never have both leases at once. */
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

    /**
     * Adds a new lease. If two leases exclude each other, ends the older one, because the newer grant shows that it is gone. The older one may be the
     * added lease itself.
     */
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

    /** Returns the grant of a lock that is held in this client now, or null. */
    @Nullable
    Grant held(LockId lock) {
        for (Held held = byKey.get(lock.key()); held != null; held = held.next) {
            if (held.lease.kind() == lock.kind() && held.lease.isHeld()) {
                return held.lease.grant();
            }
        }
        return null;
    }

    /** Removes a lease that has ended. */
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
