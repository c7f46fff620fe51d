package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.CheckReturnValue;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;

/**
 * One lock on several independent Redis servers. A client has the lock if it holds the lock on a majority of the servers (the Redlock algorithm, with
 * fencing tokens).
 *
 * <p>All servers are asked at once, and the lock is granted when a majority has granted it. So a server that is down or slow delays no caller while
 * there is a majority. A lease that another server grants later becomes part of the whole lease. The whole lease is valid while a majority of its
 * parts is valid. The validity of each part counts from that part's own command, less 5 %. A minority of the parts may be lost. When fewer than a
 * majority are left, the whole lease is lost and the other parts are released. A part that is missing or lost is requested again while the majority
 * is held, if the lease is renewed and the servers of a majority confirm that. So a long hold survives servers that restart one after the other, and
 * does not survive a majority that forgets it at once.
 *
 * <p>The fencing token is greater than the token of every earlier holder. It is the greatest token in the majority, and the tokens of the majority's
 * other servers are raised to it before the lease is granted. This is not guaranteed if a majority of the servers loses its data while the clocks of
 * their successors are behind.
 *
 * <p>The listeners of the first client receive the events of the whole lock. The listeners of each client receive the events of that client's part
 * under the same name. The probable cause of a {@link dev.holdfast.lock.LeaseLoss} of the whole lock contains the number of its parts and the number
 * of needed parts.
 *
 * <p>The servers must be independent: replicas of one another, or nodes of one cluster, fail together. Check the fencing token nevertheless: a server
 * that restarts without its data loses a lease that is still held. Thread-safe.
 */
public final class QuorumLock extends CompositeLock {

    private static final int FEWEST = 3;

    private QuorumLock(Members members) {
        super(members, DEFAULT_WAIT);
    }

    /**
     * Returns the lock with this name over several servers. Sends nothing. {@code acquire} waits 10 s if no wait is given.
     *
     * @param name the lock's name, on every server
     * @param clients one client for each server, an odd number of three or more. An even number would survive no more failures than the next smaller
     *     odd number
     * @throws IllegalArgumentException if the clients are too few, even in number or not distinct, if a client belongs to another library, or if the
     *     name is invalid
     */
    @CheckReturnValue
    public static QuorumLock of(String name, List<LockClient> clients) {
        if (clients == null || clients.size() < FEWEST || clients.size() % 2 == 0) {
            throw new IllegalArgumentException("A quorum lock must have an odd number of clients, " + FEWEST
                    + " or more, had " + (clients == null ? "none" : clients.size())
                    + ": an even number survives no more losses than one less");
        }
        if (new HashSet<>(clients).size() < clients.size()) {
            throw new IllegalArgumentException("A quorum lock must have a separate client for each server");
        }
        return new QuorumLock(new Members(
                name,
                clients.stream()
                        .map(client -> Members.member(client.getLock(name)))
                        .toList()));
    }

    @Override
    CompositeAcquisition prepare(AcquireOptions options, Duration wait) {
        return new QuorumAcquisition(members, options, wait);
    }

    /** Returns whether any client holds the lock on a majority of the servers. */
    @Override
    public boolean isLocked() {
        return members.areEnough(members.locks, members.majority(), false, LeaseLock::isLocked);
    }
}
