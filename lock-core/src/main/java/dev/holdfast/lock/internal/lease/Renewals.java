package dev.holdfast.lock.internal.lease;

import java.util.List;

/** Renews leases in Redis. */
@FunctionalInterface
public interface Renewals {

    /**
     * Sends the renewals of all these leases at once and returns; each lease's outcome is reported on its own, so that a node that does not
     * answer holds up nobody else's.
     *
     * @param due the leases to renew
     * @param report told of each outcome
     */
    void renew(List<HeldLease> due, Report report);

    /** Takes in the outcomes. */
    interface Report {

        /** Redis renewed the lease for that time by a command sent at that moment. */
        void confirmed(HeldLease lease, long sentAt, long leaseNanos);

        /** Redis does not name this holder. */
        void gone(HeldLease lease);

        /** Nobody knows: to be tried again. */
        void failed(HeldLease lease, Throwable problem);
    }
}
