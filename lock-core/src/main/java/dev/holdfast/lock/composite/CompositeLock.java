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
 * A lock made of other locks, its members. All of its methods are derived from one asynchronous acquisition.
 *
 * <p>The listeners of the first member's client receive the events of the whole lock. The listeners of another client receive only the events of that
 * client's members. Otherwise, a listener that is added to every client would receive each event of the whole lock several times.
 */
abstract class CompositeLock extends ThreadLock<CompositeLease> {

    static final Duration DEFAULT_WAIT = Duration.ofSeconds(10);

    /** The lease of a nested hold without a given lease, if the outer hold has a given lease. */
    private static final Duration NESTED_LEASE = Duration.ofSeconds(30);

    final List<MemberLock> members;
    final Background background;
    final CompositeExecutor steps;

    /**
     * Creates a composite lock. Locks with equal members have the same first member. They therefore share the record of thread holds that this
     * member's client keeps.
     */
    CompositeLock(String name, Duration defaultWait, List<MemberLock> members) {
        super(name, defaultWait, holds(members.get(0)));
        this.members = members;
        this.background = members.get(0).background();
        this.steps = new CompositeExecutor(background.compositeSteps());
    }

    // Safe: only an equal composite lock finds an entry here, so every entry that it finds is a composite lease.
    @SuppressWarnings("unchecked")
    private static ThreadHolds<CompositeLease> holds(MemberLock first) {
        return (ThreadHolds<CompositeLease>) first.holds();
    }

    static MemberLock member(LeaseLock lock) {
        return MemberLock.of(lock, "a part of another lock");
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

    /**
     * Asks the given parts one after another, and returns whether at least the needed number said yes.
     *
     * @param all whether to ask all parts, or only until the remaining parts cannot change the result
     * @throws LockUnavailableException if the parts that did not answer could change the result
     */
    <P> boolean areEnough(List<P> parts, int needed, boolean all, Predicate<P> condition) {
        int yes = 0;
        int no = 0;
        int spare = parts.size() - needed;
        List<LockUnavailableException> silent = new ArrayList<>();
        for (P part : parts) {
            if (!all && (yes >= needed || no > spare)) {
                break;
            }
            try {
                if (condition.test(part)) {
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

    /** Returns whether any member has one holder at a time. The members of a quorum lock all have. */
    @Override
    public boolean isExclusive() {
        return members.stream().anyMatch(MemberLock::isExclusive);
    }

    @Override
    public CompletableFuture<Boolean> isInRedis() {
        return MemberLock.any(members.stream().map(MemberLock::isInRedis).toList());
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
