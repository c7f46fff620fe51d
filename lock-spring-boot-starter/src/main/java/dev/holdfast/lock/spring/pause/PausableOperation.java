package dev.holdfast.lock.spring.pause;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.LockPause;
import dev.holdfast.lock.spring.LockPausedException;
import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.AroundLock.LockCall;
import dev.holdfast.lock.spring.call.LockFeature;
import dev.holdfast.lock.spring.call.Refusal;
import dev.holdfast.lock.spring.declaration.Declaration;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.declaration.LockSettings;
import java.util.concurrent.CompletableFuture;

/** A lock whose calls can be paused. */
record PausableOperation(LockOperation operation) implements LockFeature {

    /** Returns whether each run asks Redis for pauses. Methods that run without their lock do not. */
    static boolean isPausable(LockSettings settings) {
        return Boolean.TRUE.equals(settings.pausable()) && !Boolean.TRUE.equals(settings.bypass());
    }

    /** A call asks under its lock, so that one that has waited for the lock learns of a pause that was set in the meantime. */
    @Override
    public AroundLock around(LockCall call) {
        return new AroundLock() {
            @Override
            public CompletableFuture<?> whenHeld(Lease lease, boolean blocking) {
                return new PauseRecord(call.client())
                        .find(operation.name(), blocking)
                        .thenAccept(found -> found.ifPresent(pause -> refuse(call, pause)));
            }
        };
    }

    private void refuse(LockCall call, LockPause pause) {
        throw new Refusal.ByFeature(new LockPausedException(call.names().get(0), pause), "paused", skips());
    }

    /** Returns whether a paused call returns nothing. Nobody waits for the result of a scheduled method. */
    @Override
    public boolean skips() {
        return operation.skipsBusy() || (operation.fallback() == null && Declaration.isScheduled(operation.method()));
    }
}
