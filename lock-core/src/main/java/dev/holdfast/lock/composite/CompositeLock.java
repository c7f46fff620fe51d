package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.thread.ThreadHolds;
import dev.holdfast.lock.internal.thread.ThreadLock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A lock made of locks. Everything is derived from one asynchronous acquisition. */
abstract class CompositeLock extends ThreadLock<CompositeLease> {

    static final Duration DEFAULT_WAIT = Duration.ofSeconds(10);

    /** What a nested hold without a lease gets inside one that has a lease. */
    private static final Duration NESTED_LEASE = Duration.ofSeconds(30);

    private final LeaseLock first;

    /**
     * Creates a lock.
     *
     * @param first the first of its parts, which wholes of equal parts have in common, whoever put them together
     */
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

    /**
     * Begins an acquisition.
     *
     * @param options what is asked for; its wait is left aside
     * @param deadline the budget
     * @return the lease; {@link LockNotAcquiredException} if busy to the end. Cancelling it leaves nothing behind
     */
    abstract CompletableFuture<CompositeLease> begin(AcquireOptions options, Deadline deadline);

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
        try {
            return Optional.of(entering(options, wait).await());
        } catch (LockNotAcquiredException busy) {
            return Optional.empty();
        }
    }

    @Override
    protected Optional<CompositeLease> awaitUninterruptibly(AcquireOptions options, Duration wait) {
        try {
            return Optional.of(entering(options, wait).awaitUninterruptibly());
        } catch (LockNotAcquiredException busy) {
            return Optional.empty();
        }
    }

    private Acquiring entering(AcquireOptions options, Duration wait) {
        return new Acquiring(name(), begin(options.boundTo(Thread.currentThread()), Deadline.in(wait)));
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
        return Outcome.of(begin(options, Deadline.in(waitToAcquire(options))), lease -> lease, null, callbacks());
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquireAsync(AcquireOptions options) {
        return Outcome.of(begin(options, Deadline.in(waitToTry(options))), Optional::of, Optional.empty(), callbacks());
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + LogText.escape(name()) + "]";
    }
}
