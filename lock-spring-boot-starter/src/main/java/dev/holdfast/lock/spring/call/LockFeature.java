package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.spring.call.AroundLock.HeldLock;
import dev.holdfast.lock.spring.call.AroundLock.LockCall;
import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import dev.holdfast.lock.spring.declaration.LockOperation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

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

    /** A lock of a method, and what features do around it. */
    record LockedOperation(LockOperation operation, List<LockFeature> features) {

        static LockedOperation of(
                LockOperation operation, List<? extends Function<LockOperation, @Nullable LockFeature>> features) {
            List<LockFeature> made = new ArrayList<>();
            for (Function<LockOperation, @Nullable LockFeature> each : features) {
                LockFeature feature = each.apply(operation);
                if (feature != null) {
                    made.add(feature);
                }
            }
            return new LockedOperation(operation, List.copyOf(made));
        }

        /** Returns the lock as the application declares it. */
        public DeclaredLock declared() {
            List<String> traits = new ArrayList<>();
            for (LockFeature feature : features) {
                String trait = feature.trait();
                if (trait != null) {
                    traits.add(trait);
                }
            }
            return DeclaredLock.of(operation, List.copyOf(traits));
        }
    }
}
