package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.thread.Acquisition;
import dev.holdfast.lock.internal.thread.CallbackThreads;
import dev.holdfast.lock.internal.thread.MemberLock;
import dev.holdfast.lock.internal.thread.ThreadHolds;
import dev.holdfast.lock.internal.thread.ThreadLock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

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

    /** For composite locks whose first member is another library's. */
    private static final ThreadHolds<CompositeLease> HOLDS = new ThreadHolds<>();

    /** Null if it is another library's. */
    private final @Nullable MemberLock first;

    /** Locks over equal members share their first one, and so the holds that its client keeps. */
    CompositeLock(String name, Duration defaultWait, LeaseLock first) {
        super(name, defaultWait, holds(first));
        this.first = first instanceof MemberLock ours ? ours : null;
    }

    // Safe: the client keeps these holds for composite locks, and this class alone puts leases there.
    @SuppressWarnings("unchecked")
    private static ThreadHolds<CompositeLease> holds(LeaseLock first) {
        return first instanceof MemberLock ours ? (ThreadHolds<CompositeLease>) ours.holdsOfWholes() : HOLDS;
    }

    /** An acquisition that has not begun. It uses this wait and not the options'. */
    abstract CompositeAcquisition prepare(AcquireOptions options, Duration wait);

    @Override
    protected Acquisition<CompositeLease> acquisition(AcquireOptions options, Duration wait) {
        return prepare(options, wait).begin();
    }

    @Override
    protected Acquisition<CompositeLease> threadAcquisition(AcquireOptions options, Duration wait) {
        return acquisition(options.boundTo(Thread.currentThread()), wait);
    }

    @Override
    public void tell(LockEvent event) {
        if (first != null) {
            first.tell(event);
        }
    }

    @Override
    public Executor callbacks() {
        return first == null ? CallbackThreads.SHARED : first.callbacks();
    }

    @Override
    public ThreadHolds<?> holdsOfWholes() {
        return holds();
    }

    /** Only a quorum raises its members' tokens, and none of them is made of locks. */
    @Override
    public CompletableFuture<Void> raiseTokens(long token) {
        return CompletableFuture.failedFuture(
                new UnsupportedOperationException("A lock made of locks draws no tokens"));
    }

    @Override
    public LockKind kind() {
        return LockKind.REENTRANT;
    }

    @Override
    protected void lengthen(CompositeLease lease, AcquireOptions options) {
        Duration wanted = options.givenLease().orElse(NESTED_LEASE);
        if (!lease.isRenewed() && lease.remaining().compareTo(wanted.minus(wanted.dividedBy(20))) < 0) {
            lease.extend(wanted);
        }
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + LogText.escape(name()) + "]";
    }
}
