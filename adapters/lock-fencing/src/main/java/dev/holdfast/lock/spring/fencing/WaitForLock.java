package dev.holdfast.lock.spring.fencing;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.call.AroundLock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** How long a call has waited for its lock, which it need not wait again for the row of the lock. */
final class WaitForLock implements AroundLock {

    private volatile long requestedNanos;
    private volatile Duration waited = Duration.ZERO;

    @Override
    public CompletableFuture<?> beforeRequest(boolean blocking) {
        requestedNanos = System.nanoTime();
        return DONE;
    }

    @Override
    public void acquired(Lease lease) {
        waited = Duration.ofNanos(System.nanoTime() - requestedNanos);
    }

    /** Returns what is left of a wait. */
    static Duration leftOf(Duration wait, Iterable<AroundLock> around) {
        Duration left = wait;
        for (AroundLock each : around) {
            if (each instanceof WaitForLock lock) {
                left = left.minus(lock.waited);
            }
        }
        return left;
    }
}
