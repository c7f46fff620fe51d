package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.thread.Acquisition;
import dev.holdfast.lock.internal.thread.MemberLock;
import dev.holdfast.lock.internal.thread.ThreadHolds;
import dev.holdfast.lock.internal.thread.ThreadLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
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

    final List<MemberLock> members;
    final Background background;
    final CompositeExecutor steps;

    /** Locks over equal members share their first one, and so the holds that its client keeps. */
    CompositeLock(String name, Duration defaultWait, List<MemberLock> members) {
        super(name, defaultWait, holds(members.get(0)));
        this.members = members;
        this.background = members.get(0).background();
        this.steps = new CompositeExecutor(background.compositeSteps());
    }

    // Safe: no other lock equals a composite one, so what is found for it is what it put there.
    @SuppressWarnings("unchecked")
    private static ThreadHolds<CompositeLease> holds(MemberLock first) {
        return (ThreadHolds<CompositeLease>) first.holds();
    }

    static MemberLock member(LeaseLock lock) {
        if (lock instanceof MemberLock member) {
            return member;
        }
        throw new IllegalArgumentException("Lock '" + LogText.escape(lock.name())
                + "' cannot be a part of another lock: it must be one that a client of this library returned, was "
                + lock.getClass().getName());
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

    /**
     * Asks the parts one after another whether enough say yes.
     *
     * @param all whether to ask them all, or only until the rest cannot change the result
     * @throws LockUnavailableException if the silent ones could change the result
     */
    <P> boolean areEnough(List<P> parts, int needed, boolean all, Predicate<P> question) {
        int yes = 0;
        int no = 0;
        int spare = parts.size() - needed;
        List<LockUnavailableException> silent = new ArrayList<>();
        for (P part : parts) {
            if (!all && (yes >= needed || no > spare)) {
                break;
            }
            try {
                if (question.test(part)) {
                    yes++;
                } else {
                    no++;
                }
            } catch (LockUnavailableException down) {
                silent.add(down);
            }
        }
        if (yes >= needed || no > spare) {
            return yes >= needed;
        }
        LockUnavailableException whole = new LockUnavailableException(
                name(),
                "Lock '" + LogText.escape(name()) + "' is unavailable: only " + (yes + no) + " of its " + parts.size()
                        + " parts answered, " + needed + " are needed",
                silent.get(0));
        silent.stream().skip(1).forEach(whole::addSuppressed);
        throw whole;
    }

    @Override
    public void tell(LockEvent event) {
        members.get(0).tell(event);
    }

    @Override
    public Background background() {
        return background;
    }

    @Override
    public boolean mayWait() {
        return members.get(0).mayWait();
    }

    @Override
    public Executor callbacks() {
        return members.get(0).callbacks();
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

    /** Locks over equal members are one lock. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CompositeLock lock && lock.getClass() == getClass() && lock.members.equals(members);
    }

    @Override
    public int hashCode() {
        return members.hashCode();
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + LogText.escape(name()) + "]";
    }
}
