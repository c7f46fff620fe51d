package dev.holdfast.lock.spring.pause;

import dev.holdfast.lock.spring.call.AroundOperation;
import dev.holdfast.lock.spring.call.LockFeature;
import dev.holdfast.lock.spring.declaration.LockOperation;
import org.jspecify.annotations.Nullable;

/** Lets the calls of locks that can be paused ask whether they are. */
final class PausableCalls implements LockFeature {
    @Override
    public @Nullable AroundOperation of(LockOperation operation) {
        return PausableOperation.of(operation);
    }
}
