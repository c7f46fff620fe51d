package dev.holdfast.lock.composite;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.thread.MemberLock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * What happens to a lock as a whole, for the listeners of its first part's client. The other clients' listeners hear of their parts only: one that is
 * added to every client would hear of the whole once for each.
 */
final class CompositeEvents {

    private final LeaseLock whole;
    private final LeaseLock first;

    CompositeEvents(LeaseLock whole, LeaseLock first) {
        this.whole = whole;
        this.first = first;
    }

    /**
     * Tells of an acquisition, and of the end of what it acquires.
     *
     * @param acquisition under way
     * @return the same, completed after the listeners were told; canceling it cancels the acquisition
     */
    CompletableFuture<CompositeLease> of(CompletableFuture<CompositeLease> acquisition) {
        long since = System.nanoTime();
        CompletableFuture<CompositeLease> told = new CompletableFuture<>();
        acquisition.whenComplete((lease, failure) -> {
            Duration waited = Duration.ofNanos(System.nanoTime() - since);
            if (failure != null) {
                Throwable cause = MemberReleases.unwrapped(failure);
                failed(cause, waited);
                told.completeExceptionally(cause);
                return;
            }
            tell(new LockEvent.Acquired(whole.name(), whole.kind(), lease.fencingToken(), waited, false));
            lease.reportEnd(this::tell);
            if (!told.complete(lease)) {
                // Canceled at the same moment.
                lease.releaseAsync();
            }
        });
        told.whenComplete((lease, failure) -> acquisition.cancel(false));
        return told;
    }

    private void failed(Throwable cause, Duration waited) {
        if (cause instanceof LockNotAcquiredException) {
            tell(new LockEvent.TimedOut(whole.name(), whole.kind(), waited));
        } else if (cause instanceof LockUnavailableException) {
            tell(new LockEvent.Unavailable(whole.name(), whole.kind(), waited, cause));
        }
    }

    private void tell(LockEvent event) {
        if (first instanceof MemberLock lock) {
            lock.tell(event);
        }
    }
}
