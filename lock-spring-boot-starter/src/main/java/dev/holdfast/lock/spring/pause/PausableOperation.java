package dev.holdfast.lock.spring.pause;

import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.AroundLock.LockCall;
import dev.holdfast.lock.spring.call.AroundOperation;
import dev.holdfast.lock.spring.declaration.Declaration;
import dev.holdfast.lock.spring.declaration.LockOperation;
import org.jspecify.annotations.Nullable;

/** A lock whose calls can be paused. */
record PausableOperation(LockOperation operation) implements AroundOperation {

    static @Nullable PausableOperation of(LockOperation operation) {
        return PauseSettings.isPausable(operation) ? new PausableOperation(operation) : null;
    }

    @Override
    public AroundLock around(LockCall call) {
        return new PausedCall(call, skips());
    }

    /** Returns whether a paused call returns nothing. Nobody waits for the result of a scheduled method. */
    @Override
    public boolean skips() {
        return operation.skipsBusy() || (operation.fallback() == null && Declaration.isScheduled(operation.method()));
    }
}
