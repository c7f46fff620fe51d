package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.lease.Renewals;

/**
 * A kind of lock, ready for use by one client.
 *
 * @param kind what its users call it
 * @param protocol how Redis keeps it
 * @param renewals what renews it
 * @param tokens how many fencing tokens a grant draws: one for each local holder in turn
 */
public record RedisKind(LockKind kind, LockProtocol protocol, Renewals renewals, int tokens) {

    /** Whether several have it at once, each with a grant of its own. */
    public boolean isShared() {
        return kind == LockKind.READ;
    }

    /** Whether a release may grant the lock to the next in line. */
    public boolean isGrantable() {
        return kind != LockKind.READ && kind != LockKind.WRITE && !protocol.hasParts();
    }

    /** Whether a released grant may go to the next local waiter. */
    public boolean passesOn() {
        return tokens > 1;
    }
}
