package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.LockContext;
import io.micrometer.context.ContextRegistry;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** The locks that the running code holds through its callers, the innermost first, and its lease. Immutable, so that threads can share it. */
public record CallerContext(
        List<SharedLease> held, @Nullable Lease lease) {

    public static final String KEY = "holdfast.lock.caller";
    public static final CallerContext NONE = new CallerContext(List.of(), null);
    private static final ThreadLocal<@Nullable CallerContext> CURRENT = new ThreadLocal<>();

    static {
        if (ClassUtils.isPresent("io.micrometer.context.ThreadLocalAccessor", CallerContext.class.getClassLoader())) {
            // Micrometer's context propagation is an optional library.
            ContextRegistry.getInstance()
                    .registerThreadLocalAccessor(
                            KEY, CallerContext::captured, CallerContext::restore, () -> restore(NONE));
        }
    }

    public static CallerContext current() {
        CallerContext current = CURRENT.get();
        return current == null ? NONE : current;
    }

    private void makeCurrent() {
        if (held.isEmpty()) {
            CURRENT.remove();
        } else {
            CURRENT.set(this);
        }
    }

    /** Makes this the context of this thread, and its lease the current one, until the scope is closed. */
    public LockContext.Scope enter() {
        CallerContext before = current();
        LockContext.Scope outer = replace(lease);
        makeCurrent();
        return () -> {
            before.makeCurrent();
            outer.close();
        };
    }

    static void enter(SharedLease shared) {
        current().with(shared).makeCurrent();
    }

    /**
     * Removes the lease from this thread's context. It need not be the innermost one: a transaction keeps its lock longer than the call that acquired
     * it.
     */
    public static void leave(SharedLease shared) {
        CallerContext current = current();
        List<SharedLease> others =
                current.held.stream().filter(each -> !each.equals(shared)).toList();
        new CallerContext(others, current.lease).makeCurrent();
    }

    CallerContext with(SharedLease shared) {
        return new CallerContext(Stream.concat(Stream.of(shared), held.stream()).toList(), lease);
    }

    CallerContext withLease(@Nullable Lease current) {
        return new CallerContext(held, current);
    }

    /** Returns the innermost valid lease that already covers the given lock. Only a lease of the same client can cover it. */
    Optional<SharedLease> covering(LockClient client, String name, LockKind kind) {
        return held.stream().filter(shared -> shared.covers(client, name, kind)).findFirst();
    }

    private static @Nullable CallerContext captured() {
        CallerContext captured = current().withLease(LockContext.find().orElse(null));
        return captured.equals(NONE) ? null : captured;
    }

    // Context propagation never closes a scope. It restores the previous context itself.
    private static void restore(CallerContext caller) {
        caller.makeCurrent();
        replace(caller.lease());
    }

    /** Makes the lease the only one of this thread. The leases that the thread has entered before belong to other code. */
    @SuppressWarnings("resource") // The scope that is returned restores what was before both.
    private static LockContext.Scope replace(@Nullable Lease lease) {
        LockContext.Scope before = LockContext.enter(null);
        LockContext.enter(lease);
        return before;
    }
}
