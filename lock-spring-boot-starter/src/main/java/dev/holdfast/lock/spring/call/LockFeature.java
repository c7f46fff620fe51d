package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.spring.declaration.LockOperation;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A feature of annotated calls. */
public interface LockFeature {

    /** Returns what the feature does around one lock of an annotated method; null if nothing. Asked once for each lock, not at each call. */
    @Nullable
    AroundOperation of(LockOperation operation);

    /** Returns the attributes of the annotation that the feature reads. Without it, they would mean nothing, and are refused. */
    default Set<String> attributes() {
        return Set.of();
    }

    /** Returns the locks that are kept for the calls of a subscriber, given its context. For a call that blocks, its thread knows them. */
    default List<? extends AroundLock.HeldLock> kept(Object context) {
        return List.of();
    }
}
