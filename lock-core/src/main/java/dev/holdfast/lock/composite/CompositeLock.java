package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.thread.Acquisition;
import dev.holdfast.lock.internal.thread.LibraryLock;
import dev.holdfast.lock.internal.thread.ThreadHolds;
import dev.holdfast.lock.internal.thread.ThreadLock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A lock made of other locks, its members. All of its methods are derived from one asynchronous acquisition.
 *
 * <p>The listeners of the first member's client receive the events of the whole lock. The listeners of another client receive only the events of that
 * client's members. Otherwise, a listener that is added to every client would receive each event of the whole lock several times.
 */
abstract class CompositeLock extends ThreadLock<CompositeLease> {

    static final Duration DEFAULT_WAIT = Duration.ofSeconds(10);

    /** The lease of a nested hold without a given lease, if the outer hold has a given lease. */
    private static final Duration NESTED_LEASE = Duration.ofSeconds(30);

    final Members members;

    /**
     * Creates a composite lock. Locks with equal members have the same first member. They therefore share the record of thread holds that this
     * member's client keeps.
     */
    CompositeLock(Members members, Duration defaultWait) {
        super(members.name, defaultWait, holds(members.first()));
        this.members = members;
    }

    // Safe: only an equal composite lock finds an entry here, so every entry that it finds is a composite lease.
    @SuppressWarnings("unchecked")
    private static ThreadHolds<CompositeLease> holds(LibraryLock first) {
        return (ThreadHolds<CompositeLease>) first.holds();
    }

    /** Creates an acquisition that has not begun. It uses the given wait instead of the wait of the options. */
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
        members.tell(event);
    }

    @Override
    public Background background() {
        return members.background;
    }

    @Override
    public boolean mayWait() {
        return members.first().mayWait();
    }

    @Override
    public Executor callbacks() {
        return members.callbacks();
    }

    /** Returns whether any member has one holder at a time. The members of a quorum lock all have. */
    @Override
    public boolean isExclusive() {
        return members.locks.stream().anyMatch(LibraryLock::isExclusive);
    }

    @Override
    public CompletableFuture<Boolean> isInRedis() {
        return LibraryLock.any(
                members.locks.stream().map(LibraryLock::isInRedis).toList());
    }

    /** Fails. Only a quorum lock raises the tokens of its members, and none of these members is a composite lock. */
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

    /** Returns whether the other lock has the same type and equal members. Such locks are one lock. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CompositeLock lock
                && lock.getClass() == getClass()
                && lock.members.locks.equals(members.locks);
    }

    @Override
    public int hashCode() {
        return members.locks.hashCode();
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + LogText.escape(name()) + "]";
    }
}
