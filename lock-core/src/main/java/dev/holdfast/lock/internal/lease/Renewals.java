package dev.holdfast.lock.internal.lease;

import java.util.List;

/** Renews leases in Redis. */
@FunctionalInterface
public interface Renewals {

    /**
     * Sends the renewals of the given leases and returns. Each lease is notified of its own outcome, so a node that does not answer delays no other
     * lease. The notification is {@link HeldLease#renewalConfirmed}, {@link HeldLease#gone} if Redis no longer names the lease's owner, or {@link
     * HeldLease#renewalFailed} if the outcome is unknown.
     */
    void renew(List<HeldLease> due);
}
