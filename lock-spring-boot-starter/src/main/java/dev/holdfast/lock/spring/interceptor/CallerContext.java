package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.LockContext;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * The locks that the running code holds through its callers, the innermost first, and its current lease. Immutable, so that other threads and
 * Reactor's context can carry it. Each thread has a current one, which Micrometer's context propagation carries where it is available.
 */
final class CallerContext {

    /** The key in Reactor's context and in Micrometer's registry. */
    static final String KEY = "holdfast.lock.caller";

    static final CallerContext NONE = new CallerContext(null, null, null);

    private static final ThreadLocal<@Nullable CallerContext> CURRENT = new ThreadLocal<>();

    static {
        if (ClassUtils.isPresent("io.micrometer.context.ThreadLocalAccessor", CallerContext.class.getClassLoader())) {
            Accessor.register();
        }
    }

    private final @Nullable SharedLease innermost;
    private final @Nullable CallerContext outer;
    private final @Nullable Lease lease;

    private CallerContext(@Nullable SharedLease innermost, @Nullable CallerContext outer, @Nullable Lease lease) {
        this.innermost = innermost;
        this.outer = outer;
        this.lease = lease;
    }

    /** The locks of this thread. */
    static CallerContext current() {
        CallerContext current = CURRENT.get();
        return current == null ? NONE : current;
    }

    /** The locks of this thread and its current lease; null if it has neither. */
    private static @Nullable CallerContext capture() {
        CallerContext current = current();
        Lease lease = LockContext.find().orElse(null);
        return current.innermost == null && lease == null ? null : current.withLease(lease);
    }

    /** Replaces the locks of this thread and its current lease. */
    @SuppressWarnings("resource")
    private void restore() {
        makeCurrent();
        LockContext.enter(lease);
    }

    private void makeCurrent() {
        if (innermost == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(this);
        }
    }

    static void enter(SharedLease held) {
        current().with(held).makeCurrent();
    }

    /** Not always the innermost one: a lock that a transaction keeps outlives the call that acquired it. */
    static void leave(SharedLease held) {
        current().without(held).makeCurrent();
    }

    CallerContext with(SharedLease held) {
        return new CallerContext(held, this, lease);
    }

    CallerContext withLease(@Nullable Lease current) {
        return new CallerContext(innermost, outer, current);
    }

    boolean isEmpty() {
        return innermost == null;
    }

    private CallerContext without(SharedLease held) {
        Deque<SharedLease> inside = new ArrayDeque<>();
        CallerContext at = this;
        while (at.innermost != null && at.innermost != held && at.outer != null) {
            inside.push(at.innermost);
            at = at.outer;
        }
        if (at.outer == null) {
            return this;
        }
        CallerContext result = at.outer;
        for (SharedLease kept : inside) {
            result = result.with(kept);
        }
        return result;
    }

    /** The innermost valid lease under which a call need not acquire that lock. Only leases of the same client are about the same lock. */
    @Nullable
    SharedLease covering(LockClient client, String name, LockKind kind) {
        return find(held -> held.covers(client, name, kind));
    }

    /** Whether a call that acquires that lock would wait for its own caller. */
    boolean blocks(LockClient client, String name, LockKind kind) {
        return find(held -> held.blocks(client, name, kind)) != null;
    }

    private @Nullable SharedLease find(Predicate<SharedLease> condition) {
        for (CallerContext at = this; at != null && at.innermost != null; at = at.outer) {
            if (condition.test(at.innermost)) {
                return at.innermost;
            }
        }
        return null;
    }

    /** Lets Micrometer's context propagation carry the context. An inner class, because that library is optional. */
    private static final class Accessor implements ThreadLocalAccessor<CallerContext> {

        static void register() {
            ContextRegistry.getInstance().registerThreadLocalAccessor(new Accessor());
        }

        @Override
        public Object key() {
            return KEY;
        }

        @Override
        public @Nullable CallerContext getValue() {
            return capture();
        }

        @Override
        public void setValue(CallerContext caller) {
            caller.restore();
        }

        @Override
        public void setValue() {
            NONE.restore();
        }
    }
}
