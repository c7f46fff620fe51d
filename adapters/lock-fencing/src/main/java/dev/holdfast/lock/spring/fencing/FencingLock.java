package dev.holdfast.lock.spring.fencing;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.call.CallerContext;
import dev.holdfast.lock.spring.call.SharedLease;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A lock that fences the transactions of the running code: the code is its only holder, and the lock is not {@link Unfenced}. */
record FencingLock(String name, Lease lease, Duration longestWait) {

    /** How long a call waits for a lock if nothing is said. */
    private static final Duration WAIT = Duration.ofSeconds(10);

    /**
     * Returns the locks of the running code, sorted by name, so that two transactions take their rows in one order. A lock that a transaction keeps
     * after its method has returned is one of them. Of several leases of one lock, the last one counts: it was acquired after the others were lost.
     */
    static Collection<FencingLock> all() {
        List<SharedLease> shared = CallerContext.current().held();
        if (shared.isEmpty() && LockContext.find().isEmpty()) {
            return List.of();
        }
        Map<String, FencingLock> all = new TreeMap<>();
        for (SharedLease each : shared) {
            if (fences(each)) {
                Duration wait = WaitForLock.leftOf(
                        each.call().operation().options().givenWait().orElse(WAIT), each.around());
                each.names().forEach(name -> add(all, new FencingLock(name, each.lease(), wait)));
            }
        }
        for (Lease each : LockContext.all()) {
            if (each.kind().isExclusive() && shared.stream().noneMatch(other -> isSame(each, other.lease()))) {
                add(all, new FencingLock(each.lockName(), each, WAIT));
            }
        }
        return all.values();
    }

    private static void add(Map<String, FencingLock> all, FencingLock lock) {
        all.merge(lock.name(), lock, (one, other) -> one.token() >= other.token() ? one : other);
    }

    /** An annotated call that borrows a lease enters a lease of its own, which is the same grant. */
    private static boolean isSame(Lease one, Lease other) {
        return one.lockName().equals(other.lockName()) && one.fencingToken() == other.fencingToken();
    }

    private static boolean fences(SharedLease shared) {
        return shared.isExclusive() && !shared.around().contains(FencedLocks.UNFENCED);
    }

    long token() {
        return lease.fencingToken();
    }

    /**
     * Returns how long a statement waits for the row: what the call has left of its wait for the lock, but at least one second, and not longer than
     * the statement itself may take.
     *
     * @param limit the seconds that the statement may take, which Spring derives from the timeout of the transaction; 0 without a limit
     */
    int waitSeconds(int limit) {
        return (int) Math.max(1, Math.min(longestWait.toSeconds(), limit > 0 ? limit : Integer.MAX_VALUE));
    }
}
