package dev.holdfast.lock.spring;

import dev.holdfast.lock.Lease;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The lease under which the code at hand runs: that of the innermost {@link DistributedLock} call on this thread, and of its last lock where
 * it takes several.
 */
public final class LockContext {

    private static final ThreadLocal<@Nullable Lease> CURRENT = new ThreadLocal<>();

    private LockContext() {}

    /**
     * The current lease.
     *
     * @return the lease
     * @throws IllegalStateException if this thread runs under no lock
     */
    public static Lease current() {
        Lease lease = CURRENT.get();
        if (lease == null) {
            throw new IllegalStateException(
                    "This thread runs under no lock: the call came past the proxy, its lock is switched off, or Redis was"
                            + " unavailable and the body went ahead without it. LockContext.find() answers such a call too");
        }
        return lease;
    }

    /**
     * The current lease, if there is one.
     *
     * @return the lease, empty if this thread runs under no lock
     */
    public static Optional<Lease> find() {
        return Optional.ofNullable(CURRENT.get());
    }

    /**
     * Makes a lease this thread's current one: for a body that goes on with its work on another thread. Neither acquires nor releases.
     *
     * @param lease the lease
     * @return ends it, on the same thread
     */
    public static Scope enter(Lease lease) {
        Lease before = CURRENT.get();
        CURRENT.set(lease);
        return before == null ? CURRENT::remove : () -> CURRENT.set(before);
    }

    /** For how long a lease is a thread's current one. */
    public interface Scope extends AutoCloseable {

        /** Makes current what was before. */
        @Override
        void close();
    }
}
