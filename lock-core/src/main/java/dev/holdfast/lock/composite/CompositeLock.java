package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.thread.MemberLock;
import dev.holdfast.lock.internal.thread.ThreadHolds;
import dev.holdfast.lock.internal.thread.ThreadLock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * A lock made of locks. Everything is derived from one asynchronous acquisition.
 *
 * <p>The listeners of the first member's client receive the events of the whole. The other clients' listeners receive those of their members only: a
 * listener that is added to every client would receive an event of the whole once for each.
 */
abstract class CompositeLock extends ThreadLock<CompositeLease> {

    static final Duration DEFAULT_WAIT = Duration.ofSeconds(10);

    /** What a nested hold without a lease gets inside one that has a lease. */
    private static final Duration NESTED_LEASE = Duration.ofSeconds(30);

    private final LeaseLock first;

    /** Locks over equal members share their first one, and so the holds that its client keeps. */
    CompositeLock(String name, Duration defaultWait, LeaseLock first) {
        super(name, defaultWait, Members.holds(first));
        this.first = first;
    }

    Executor callbacks() {
        return Members.callbacks(first);
    }

    ThreadHolds<CompositeLease> holds() {
        return Members.holds(first);
    }

    /** An acquisition that has not begun. It uses the deadline and not the options' wait. */
    abstract CompositeAttempt attempt(AcquireOptions options, Deadline deadline);

    /** Begins an acquisition. Fails with {@link LockNotAcquiredException} if busy to the end. Canceling it leaves nothing behind. */
    CompletableFuture<CompositeLease> begin(AcquireOptions options, Deadline deadline) {
        CompletableFuture<CompositeLease> acquisition =
                attempt(options, deadline).begin();
        long since = System.nanoTime();
        CompletableFuture<CompositeLease> reported = new CompletableFuture<>();
        acquisition.whenComplete((lease, failure) -> {
            Duration waited = Duration.ofNanos(System.nanoTime() - since);
            if (failure != null) {
                Throwable cause = MemberReleases.unwrapped(failure);
                reportFailure(cause, waited);
                reported.completeExceptionally(cause);
                return;
            }
            tell(new LockEvent.Acquired(name(), kind(), lease.fencingToken(), waited, false));
            lease.reportEnd(this::tell);
            if (!reported.complete(lease)) {
                // Canceled at the same moment.
                lease.releaseAsync();
            }
        });
        reported.whenComplete((lease, failure) -> acquisition.cancel(false));
        return reported;
    }

    private void reportFailure(Throwable cause, Duration waited) {
        if (cause instanceof LockNotAcquiredException) {
            tell(new LockEvent.TimedOut(name(), kind(), waited));
        } else if (cause instanceof LockUnavailableException) {
            tell(new LockEvent.Unavailable(name(), kind(), waited, cause));
        }
    }

    private void tell(LockEvent event) {
        if (first instanceof MemberLock member) {
            member.tell(event);
        }
    }

    @Override
    public LockKind kind() {
        return LockKind.REENTRANT;
    }

    @Override
    protected Optional<CompositeLease> await(AcquireOptions options, Duration wait) throws InterruptedException {
        try {
            return Optional.of(acquisition(bound(options), wait).await());
        } catch (LockNotAcquiredException busy) {
            return Optional.empty();
        }
    }

    @Override
    protected Optional<CompositeLease> awaitUninterruptibly(AcquireOptions options, Duration wait) {
        try {
            return Optional.of(acquisition(bound(options), wait).awaitUninterruptibly());
        } catch (LockNotAcquiredException busy) {
            return Optional.empty();
        }
    }

    private static AcquireOptions bound(AcquireOptions options) {
        return options.boundTo(Thread.currentThread());
    }

    private CompositeAcquisition acquisition(AcquireOptions options, Duration wait) {
        return new CompositeAcquisition(name(), begin(options, Deadline.in(wait)));
    }

    @Override
    protected void lengthen(CompositeLease lease, AcquireOptions options) {
        Duration wanted = options.givenLease().orElse(NESTED_LEASE);
        if (!lease.isRenewed() && lease.remaining().compareTo(wanted.minus(wanted.dividedBy(20))) < 0) {
            lease.extend(wanted);
        }
    }

    @Override
    public Lease acquire(AcquireOptions options) {
        return acquisition(options, waitToAcquire(options)).awaitUnchecked();
    }

    @Override
    public Optional<Lease> tryAcquire(AcquireOptions options) {
        try {
            return Optional.of(acquisition(options, waitToTry(options)).awaitUnchecked());
        } catch (LockNotAcquiredException busy) {
            return Optional.empty();
        }
    }

    @Override
    public CompletionStage<Lease> acquireAsync(AcquireOptions options) {
        return acquisition(options, waitToAcquire(options)).stage(lease -> lease, null, callbacks());
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquireAsync(AcquireOptions options) {
        return acquisition(options, waitToTry(options)).stage(Optional::of, Optional.empty(), callbacks());
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + LogText.escape(name()) + "]";
    }
}
