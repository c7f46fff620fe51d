package dev.holdfast.lock.spring.pause;

import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.AroundLock.LockCall;
import dev.holdfast.lock.spring.call.LockFeature;
import dev.holdfast.lock.spring.declaration.Declaration;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.declaration.LockSettings;

/** A lock whose calls can be paused. */
record PausableOperation(LockOperation operation) implements LockFeature {

    /** Returns whether each run asks Redis for pauses. Methods that run without their lock do not. */
    static boolean isPausable(LockSettings settings) {
        return Boolean.TRUE.equals(settings.pausable()) && !Boolean.FALSE.equals(settings.enabled());
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
