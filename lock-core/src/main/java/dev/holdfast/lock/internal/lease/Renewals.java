package dev.holdfast.lock.internal.lease;

import java.util.List;

/** Renews leases in Redis. */
@FunctionalInterface
public interface Renewals {

    /** Sends the renewals of these leases and returns. Each outcome is reported on its own, so a node that does not answer delays no other lease. */
    void renew(List<HeldLease> due, Report report);

    /** Receives the outcomes. */
    interface Report {

        /** Redis renewed the lease for that time by a command sent at that moment. */
        void confirmed(HeldLease lease, long sentAt, long leaseNanos);

        /** The lock is no longer this holder's. */
        void gone(HeldLease lease);

        /** The outcome is unknown; the renewal is to be repeated. */
        void failed(HeldLease lease, Throwable problem);
    }
}
