package dev.holdfast.lock.internal.lease;

import java.util.List;

/** Renews leases in Redis. */
@FunctionalInterface
public interface Renewals {

    /**
     * Sends the renewals of these leases and returns. Each lease learns its own outcome, so a node that does not answer delays no other lease: {@link
     * HeldLease#renewalConfirmed}, {@link HeldLease#lose} if Redis no longer names its holder, or {@link HeldLease#renewalFailed} if it is unknown.
     */
    void renew(List<HeldLease> due);
}
