package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.thread.ThreadHolds;
import dev.holdfast.lock.thread.ThreadLock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A lock made of locks. Everything is derived from one asynchronous acquisition. */
abstract class CompositeLock extends ThreadLock<CompositeLease> {

    static final Duration DEFAULT_WAIT = Duration.ofSeconds(10);

    /** What a nested hold without a lease gets inside one that has a lease. */
    private static final Duration NESTED_LEASE = Duration.ofSeconds(30);

    /** For the whole process, since composites of equal parts are one lock, whoever put them together. */
    private static final ThreadHolds<CompositeLease> HOLDS = new ThreadHolds<>();

    CompositeLock(String name, Duration defaultWait) {
        super(name, defaultWait, HOLDS);
    }

    /**
     * Begins an acquisition.
     *
     * @param options what is asked for; its wait is left aside
     * @param deadline the budget
     * @return the lease; {@link LockNotAcquiredException} if busy to the end. Cancelling it leaves nothing behind
     */
    abstract CompletableFuture<CompositeLease> begin(AcquireOptions options, Deadline deadline);

    /** What each member is asked for. */
    static AcquireOptions forMembers(AcquireOptions options) {
        AcquireOptions member = AcquireOptions.defaults();
        if (options.givenLease().isPresent()) {
            Duration lease = options.givenLease().get();
            // A minimum hold is kept here: a member's own would keep one that is given back because another was busy.
            member = member.lease(lease.compareTo(options.minHold()) < 0 ? options.minHold() : lease);
            if (options.isRenewed()) {
                member = member.renewed();
            }
        }
        if (options.givenMaxHold().isPresent()) {
            member = member.maxHold(options.givenMaxHold().get());
        }
        if (options.boundThread().isPresent()) {
            member = member.boundTo(options.boundThread().get());
        }
        // Not interruptOnLoss: losing one member need not be losing the whole.
        return member;
    }

    /** Who is interrupted when the whole is lost. */
    static @Nullable Thread interrupted(AcquireOptions options) {
        return options.interruptsOnLoss() ? options.boundThread().orElseGet(Thread::currentThread) : null;
    }

    @Override
    public LockKind kind() {
        return LockKind.REENTRANT;
    }

    @Override
    protected Optional<CompositeLease> await(AcquireOptions options, Duration wait) throws InterruptedException {
        return hold(() -> entering(options, wait).await());
    }

    @Override
    protected Optional<CompositeLease> awaitUninterruptibly(AcquireOptions options, Duration wait) {
        return hold(() -> entering(options, wait).awaitUninterruptibly());
    }

    private Acquiring entering(AcquireOptions options, Duration wait) {
        return new Acquiring(name(), begin(options.boundTo(Thread.currentThread()), Deadline.in(wait)));
    }

    /** A wait that may be interrupted, or not. */
    private interface Wait<E extends Exception> {
        CompositeLease end() throws E;
    }

    private <E extends Exception> Optional<CompositeLease> hold(Wait<E> wait) throws E {
        CompositeLease lease;
        try {
            lease = wait.end();
        } catch (LockNotAcquiredException busy) {
            return Optional.empty();
        }
        Thread holder = Thread.currentThread();
        lease.onLost(loss -> HOLDS.forgetDead(this, holder));
        return Optional.of(lease);
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
        return acquiring(options, waitToAcquire(options)).awaitUnchecked();
    }

    @Override
    public Optional<Lease> tryAcquire(AcquireOptions options) {
        try {
            return Optional.of(acquiring(options, waitToTry(options)).awaitUnchecked());
        } catch (LockNotAcquiredException busy) {
            return Optional.empty();
        }
    }

    private Acquiring acquiring(AcquireOptions options, Duration wait) {
        return new Acquiring(name(), begin(options, Deadline.in(wait)));
    }

    @Override
    public CompletionStage<Lease> acquireAsync(AcquireOptions options) {
        return new Outcome<Lease>(begin(options, Deadline.in(waitToAcquire(options))), lease -> lease, null);
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquireAsync(AcquireOptions options) {
        return new Outcome<Optional<Lease>>(
                begin(options, Deadline.in(waitToTry(options))), Optional::of, Optional.empty());
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + LogText.escape(name()) + "]";
    }
}
