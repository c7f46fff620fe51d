package dev.holdfast.lock.spring.fencing;

import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.LockFeature;
import dev.holdfast.lock.spring.declaration.LockOperation;
import java.lang.reflect.AnnotatedElement;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotations;

/** Tells fenced connections which locks are {@link Unfenced}, and notes how long a call waits for a lock that fences. */
record FencedLocks(boolean hasTable) implements Function<LockOperation, @Nullable LockFeature> {

    /** Marks a lock that is not fenced. All other exclusive locks are, including those that code has acquired. */
    static final AroundLock UNFENCED = new AroundLock() {};

    @Override
    public @Nullable LockFeature apply(LockOperation operation) {
        if (!hasTable || !operation.kind().isExclusive()) {
            return null;
        }
        return isUnfenced(operation) ? call -> UNFENCED : call -> new WaitForLock();
    }

    /** Looks only where the annotation of the lock is: an inherited annotation must not unfence the lock of an override. */
    private static boolean isUnfenced(LockOperation operation) {
        return operation.annotation().annotation().getSource() instanceof AnnotatedElement place
                && MergedAnnotations.from(place).isPresent(Unfenced.class);
    }
}
