package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockKind;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A lock that an annotated call has, as far as calls inside it need to know. Whoever needs it shares it, and the last of them gives it back: a
 * call inside may go on after the one that took the lock has returned, and a transaction outlives the calls in it.
 */
final class Hold {

    private final Object realm;
    private final List<String> names;
    private final LockKind kind;
    private final Lease lease;
    private final boolean renewed;
    private final LockObservation observation;
    private final AtomicInteger sharers = new AtomicInteger(1);
    private volatile boolean keptByTransaction;

    /**
     * Creates a hold of the call that took the lock.
     *
     * @param realm whose it is: two applications in one JVM may use one name for different locks
     * @param names the locks' names
     * @param kind their kind
     * @param lease the lease over all of them
     * @param renewed whether the lease is renewed while held
     * @param observation ends when the last one that shares the lock releases it
     */
    Hold(Object realm, List<String> names, LockKind kind, Lease lease, boolean renewed, LockObservation observation) {
        this.realm = realm;
        this.names = names;
        this.kind = kind;
        this.lease = lease;
        this.renewed = renewed;
        this.observation = observation;
    }

    Object realm() {
        return realm;
    }

    Lease lease() {
        return lease;
    }

    boolean renewed() {
        return renewed;
    }

    LockObservation observation() {
        return observation;
    }

    /** Joins those who need it. False if the last of them has left. */
    boolean share() {
        return sharers.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    /** Needs it no longer. True for the last one, who gives the lock back. */
    boolean leave() {
        return sharers.decrementAndGet() == 0;
    }

    /** Needs it no longer, for somebody who does not care what becomes of it. */
    void leaveAndGiveBack() {
        if (leave()) {
            lease.releaseAsync().whenComplete((done, failure) -> observation.released());
        }
    }

    /** From now on it stays with its thread until a transaction ends, and not only until its call does. */
    void keepForTransaction() {
        keptByTransaction = true;
    }

    boolean isKeptByTransaction() {
        return keptByTransaction;
    }

    /** Whether who has this hold may go on without asking for that lock; true for a lease that is over, too. */
    boolean covers(String name, LockKind wanted) {
        return names.contains(name) && (wanted == kind || (wanted == LockKind.READ && kind == LockKind.WRITE));
    }

    /** Whether who has this hold would wait for itself, asking for that lock. */
    boolean blocks(String name, LockKind wanted) {
        return names.contains(name) && kind == LockKind.READ && wanted == LockKind.WRITE;
    }
}
