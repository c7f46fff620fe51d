package dev.holdfast.lock.spring;

import dev.holdfast.lock.Lease;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Gives access to the lease that protects the running code. This is the lease of the innermost {@link DistributedLock} call on this thread, and of
 * its last lock if it has several. Code that runs without its lock has no lease. Micrometer's context propagation carries the lease to other threads.
 */
public final class LockContext {

    private static final ThreadLocal<@Nullable Entered> CURRENT = new ThreadLocal<>();

    /** The ticks of leases that are in use. A lease that a caller borrows equals the one that it borrows. */
    private static final Map<Lease, Tick> TICKS = Collections.synchronizedMap(new WeakHashMap<>());

    private LockContext() {}

    private record Entered(Lease lease, @Nullable Entered outer) {}

    /** {@return the current lease} Throws {@link IllegalStateException} if this thread has none. */
    public static Lease current() {
        Entered entered = CURRENT.get();
        if (entered == null) {
            throw new IllegalStateException(
                    "This code does not run under a lock: the call bypassed the proxy, its lock is switched off, Redis was unavailable and"
                            + " the method proceeded, or the code runs on another thread. LockContext.find() returns an empty"
                            + " Optional then");
        }
        return entered.lease();
    }

    /** {@return the current lease, empty if this thread has none} */
    public static Optional<Lease> find() {
        return Optional.ofNullable(CURRENT.get()).map(Entered::lease);
    }

    /**
     * {@return the tick to which the running code belongs, inside a method that runs {@linkplain OncePerTick once per tick}} Throws
     * {@link IllegalStateException} elsewhere.
     */
    public static Tick tick() {
        for (Entered each = CURRENT.get(); each != null; each = each.outer()) {
            Tick tick = TICKS.get(each.lease());
            if (tick != null) {
                return tick;
            }
        }
        throw new IllegalStateException(
                "This code does not run for a tick: no lock of this thread is one of @OncePerTick, its lock"
                        + " is switched off, Redis was unavailable and the method proceeded, or the code runs on another thread");
    }

    /** Says to which tick the code under a lease belongs. Holdfast calls it for a method that runs once per tick. */
    public static void bindTick(Lease lease, Tick tick) {
        TICKS.put(lease, tick);
    }

    /**
     * {@return all leases that this thread has entered, the current one first} Context propagation carries only the current one. Empty if the running
     * code has no lease.
     */
    public static List<Lease> all() {
        List<Lease> all = new ArrayList<>();
        for (Entered each = CURRENT.get(); each != null; each = each.outer()) {
            all.add(each.lease());
        }
        return all;
    }

    /**
     * Makes a lease the current one of this thread, for work that continues on another thread. Neither acquires nor releases the lease.
     *
     * @param lease the lease; null if the code that follows runs without a lock
     * @return a scope to close on the same thread; closing it restores the previous lease
     */
    public static Scope enter(@Nullable Lease lease) {
        Entered before = CURRENT.get();
        set(lease == null ? null : new Entered(lease, before));
        return () -> set(before);
    }

    private static void set(@Nullable Entered entered) {
        if (entered == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(entered);
        }
    }

    /** The period for which a lease is the current one of a thread. */
    public interface Scope extends AutoCloseable {
        /** Makes the previous lease the current one again. */
        @Override
        void close();
    }
}
