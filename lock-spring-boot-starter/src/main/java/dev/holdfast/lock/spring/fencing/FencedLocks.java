package dev.holdfast.lock.spring.fencing;

import dev.holdfast.lock.spring.call.AroundOperation;
import dev.holdfast.lock.spring.call.LockFeature;
import dev.holdfast.lock.spring.declaration.LockOperation;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the attribute, which fenced connections ask for, and notes how long a call waits for a lock that fences. */
record FencedLocks(boolean hasTable) implements LockFeature {
    @Override
    public @Nullable AroundOperation of(LockOperation operation) {
        return hasTable && FencingLock.isFencing(operation) ? call -> new WaitForLock() : null;
    }

    @Override
    public Set<String> attributes() {
        return Set.of(FencingLock.FENCED);
    }
}
