package dev.holdfast.lock.spring.pause;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.LockPausedException;
import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.AroundLock.LockCall;
import dev.holdfast.lock.spring.call.Refusal;
import dev.holdfast.lock.spring.declaration.LockOperation;
import java.util.concurrent.CompletableFuture;

/** Refuses the calls of a paused lock. Asks under the lock, so that a call that has waited for it learns of a pause that was set meanwhile. */
record PausedCall(LockCall call, boolean skips) implements AroundLock {

    @Override
    public CompletableFuture<?> whenHeld(Lease lease, boolean blocking) {
        LockOperation operation = call.operation();
        return new PauseRecord(call.client())
                .find(operation.name(), blocking)
                .thenAccept(found -> found.ifPresent(pause -> {
                    LockPausedException paused =
                            new LockPausedException(call.names().get(0), pause);
                    throw new Refusal.ByFeature(paused, "paused", skips);
                }));
    }
}
