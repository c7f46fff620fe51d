package dev.holdfast.lock.spring.observe;

import dev.holdfast.lock.spring.call.AroundOperation;
import dev.holdfast.lock.spring.call.LockFeature;
import dev.holdfast.lock.spring.declaration.LockOperation;
import org.jspecify.annotations.Nullable;

/** Lets calls log their skips where {@code holdfast.log-skips} is on. */
final class SkippedCalls implements LockFeature {
    @Override
    public @Nullable AroundOperation of(LockOperation operation) {
        return SkippedCall.of(operation);
    }
}
