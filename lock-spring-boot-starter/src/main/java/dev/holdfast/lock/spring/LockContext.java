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
     * Makes a lease the current one of this thread, for work that continues on another thread. Neither acquires nor releases it.
     *
     * @param lease the lease; null if the code that follows runs without a lock
     * @return restores the lease that was current before, on the same thread
     */
    public static Scope enter(@Nullable Lease lease) {
        Lease before = CURRENT.get();
        set(lease);
        return () -> set(before);
    }

    private static void set(@Nullable Lease lease) {
        if (lease == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(lease);
        }
    }

    /** For how long a lease is a thread's current one. */
    public interface Scope extends AutoCloseable {

        /** Makes current what was before. */
        @Override
        void close();
    }
}
