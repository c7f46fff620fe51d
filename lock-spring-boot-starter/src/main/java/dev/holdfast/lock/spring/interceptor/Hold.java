package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockKind;
import java.util.List;

/**
 * A lock that an annotated call has, as far as calls inside it need to know.
 *
 * @param realm whose it is: two applications in one JVM may use one name for different locks
 * @param names the locks' names
 * @param kind their kind
 * @param lease the lease over all of them
 * @param renewed whether the lease is renewed while held
 */
record Hold(Object realm, List<String> names, LockKind kind, Lease lease, boolean renewed) {

    /** Whether who has this hold may go on without asking for that lock; true for a lease that is over, too. */
    boolean covers(String name, LockKind wanted) {
        return names.contains(name) && (wanted == kind || (wanted == LockKind.READ && kind == LockKind.WRITE));
    }

    /** Whether who has this hold would wait for itself, asking for that lock. */
    boolean blocks(String name, LockKind wanted) {
        return names.contains(name) && kind == LockKind.READ && wanted == LockKind.WRITE;
    }
}
