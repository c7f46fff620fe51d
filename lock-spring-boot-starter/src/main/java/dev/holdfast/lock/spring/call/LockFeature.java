package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.call.AroundLock.HeldLock;
import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import dev.holdfast.lock.spring.declaration.KeyExpression;
import dev.holdfast.lock.spring.declaration.LockOperation;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** What a feature does around one lock of an annotated method. Made when the method is parsed. */
@FunctionalInterface
public interface LockFeature {

    /** Returns what the feature does in one call; null if nothing. */
    @Nullable
    AroundLock around(LockCall call);

    /** Returns whether a call may be skipped although its lock is free. */
    default boolean skips() {
        return false;
    }

    /** Returns the attribute because of which no other method and no other bean may have the lock's name; null if others may. */
    default @Nullable String ownsName() {
        return null;
    }

    /** Returns what a list of declared locks says of it; null if nothing. */
    default @Nullable String trait() {
        return null;
    }

    /** Refuses what does not go with the feature: other locks of the method, or of other methods. The first list has this lock, too. */
    default void check(List<LockOperation> ofMethod, Collection<DeclaredLock> others) {}

    /** Returns the locks that are kept for the calls of a subscriber, given its context. For a call that blocks, its thread knows them. */
    default List<? extends HeldLock> kept(Object context) {
        return List.of();
    }

    /**
     * One lock that one call needs.
     *
     * @param features what features do around the lock
     * @param names its names in Redis, which form one lock
     * @param context the subscriber's context, which is Reactor's; null for a call that blocks
     * @param value evaluates an expression over the call
     * @param proxied shares its attributes with the other attempts of an advice that repeats the call; null if none can
     */
    record LockCall(
            LockOperation operation,
            List<LockFeature> features,
            List<String> names,
            LockClient client,
            @Nullable Object context,
            Function<KeyExpression, @Nullable Object> value,
            @Nullable ProxyMethodInvocation proxied) {

        /** The order in which every call acquires its locks, so that two calls cannot wait for each other. */
        static final Comparator<LockCall> ORDER = Comparator.comparing(
                        (LockCall call) -> call.names().get(0))
                .thenComparing(call -> call.operation().kind());
    }
}
