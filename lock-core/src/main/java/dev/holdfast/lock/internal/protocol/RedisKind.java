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

    /** Where one waits for a lock: locks of one name but different kinds never share a room. */
    public String roomKey(String key) {
        return roomKey(kind, key);
    }

    public static String roomKey(LockKind kind, String key) {
        return kind.name().toLowerCase(java.util.Locale.ROOT) + ':' + key;
    }

    /** Whether several have it at once, each with a grant of its own. */
    public boolean isShared() {
        return kind == LockKind.READ;
    }

    /** Whether each who waits has a place of its own in Redis, under one owner id from its first question to its last. */
    public boolean isQueued() {
        return kind == LockKind.FAIR;
    }

    /** Whether a release may grant the lock to the next in line. */
    public boolean isGrantable() {
        return (kind == LockKind.REENTRANT || kind == LockKind.FAIR) && !protocol.hasParts();
    }

    /** Whether a released grant may go to the next local waiter. */
    public boolean passesOn() {
        return tokens > 1;
    }
}
