package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.CheckReturnValue;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.internal.thread.MemberLock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;

/**
 * One lock on several independent Redis servers. Its holder is the client that holds it on a majority of them (the Redlock algorithm, with fencing
 * tokens).
 *
 * <p>All servers are asked at once, and the lock is granted when a majority has granted it. So a server that is down, slow or silent delays no
 * caller while there is a majority. A later grant joins the lease. The lease is valid while a majority of its parts is; each part counts from its
 * own command, less 5 %. A minority may be lost while it is held. When fewer than a majority are left, the lease is lost and the rest is released. A
 * server that was down at the acquisition stays unlocked until the next one.
 *
 * <p>The fencing token is greater than that of every earlier holder: the greatest of the majority's, to which the others are raised before the lease
 * is granted. Not guaranteed if a majority of the servers loses its data while the clocks of their successors are behind.
 *
 * <p>The listeners of the first client receive the events of the whole. All clients' listeners receive those of their parts, under the same name. A
 * {@link dev.holdfast.lock.LeaseLoss} of the whole has the number of its parts, and how many it needed, in its probable cause.
 *
 * <p>The servers must be independent: replicas of one another, or nodes of one cluster, fail together. Check the token all the same: a server that
 * restarts without its data loses a lease that is still held. Thread-safe.
 */
public final class QuorumLock extends CompositeLock {

    private static final int FEWEST = 3;

    private QuorumLock(String name, List<MemberLock> members) {
        super(name, DEFAULT_WAIT, members);
    }

    /**
     * Returns the lock of that name over several servers. Sends nothing. {@code acquire} waits 10 s if no wait is given.
     *
     * @param name the lock's name, on every server
     * @param clients one for each server: an odd number of them, three or more. An even number survives no more losses than one less
     * @throws IllegalArgumentException if the clients are too few, even in number or not distinct, or return no locks of this library, or the name cannot be a lock's name
     */
    @CheckReturnValue
    public static QuorumLock of(String name, List<LockClient> clients) {
        if (clients == null || clients.size() < FEWEST || clients.size() % 2 == 0) {
            throw new IllegalArgumentException("A quorum lock must have an odd number of clients, " + FEWEST
                    + " or more, had " + (clients == null ? "none" : clients.size())
                    + ": an even number survives no more losses than one less");
        }
        if (new HashSet<>(clients).size() < clients.size()) {
            throw new IllegalArgumentException("A quorum lock must have a client of its own for each server");
        }
        return new QuorumLock(
                name,
                clients.stream().map(client -> member(client.getLock(name))).toList());
    }

    int needed() {
        return members.size() / 2 + 1;
    }

    /** How many servers may refuse or fail. */
    int spare() {
        return members.size() - needed();
    }

    @Override
    CompositeAcquisition prepare(AcquireOptions options, Duration wait) {
        return new QuorumAcquisition(this, options, wait);
    }

    /** Whether it is held on a majority of the servers, by any client. */
    @Override
    public boolean isLocked() {
        return areEnough(members, needed(), false, LeaseLock::isLocked);
    }
}
