package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.WrongLockKindException;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.Failures;
import dev.holdfast.lock.internal.thread.AbstractLease;
import dev.holdfast.lock.internal.thread.Acquisition;
import dev.holdfast.lock.internal.thread.LibraryLock;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition of a composite lock. It runs on the thread of its {@link Members}. If its outcome is canceled, it cancels the pending request to a
 * member and leaves nothing behind.
 */
abstract class CompositeAcquisition extends Acquisition<CompositeLease> {

    final Members lock;
    private final AcquireOptions options;

    /** The thread that is interrupted if the lease is lost. Determined in the constructor, because later steps run on other threads. */
    private final @Nullable Thread interruptedOnLoss;

    private final Duration wait;
    private final long waitNanos;
    private final long since;
    private volatile @Nullable CompletableFuture<AbstractLease> pending;

    /** The reason for an empty outcome. Set before the outcome. */
    private volatile @Nullable LockNotAcquiredException refusal;

    /**
     * Creates an acquisition, which {@link #begin} starts.
     *
     * @param wait replaces the wait of the options. A wait that is too long for nanoseconds in a long never ends
     */
    CompositeAcquisition(Members lock, AcquireOptions options, Duration wait) {
        this.lock = lock;
        this.options = options;
        this.wait = wait;
        this.since = lock.background.nanoTime();
        this.waitNanos = Math.max(0, TimeUnit.NANOSECONDS.convert(wait));
        this.interruptedOnLoss =
                options.interruptsOnLoss() ? options.boundThread().orElseGet(Thread::currentThread) : null;
    }

    CompositeAcquisition begin() {
        whenComplete((lease, failure) -> {
            CompletableFuture<AbstractLease> asked = pending;
            if (asked != null) {
                asked.cancel(false);
            }
        });
        lock.run(this::start);
        return this;
    }

    abstract void start();

    /** Requests a lease from a member. */
    CompletableFuture<AbstractLease> ask(
            LibraryLock member, long longestNanos, BiConsumer<AbstractLease, @Nullable Throwable> step) {
        AcquireOptions part = partOptions().waitAtMost(Duration.ofNanos(longestNanos));
        return lock.ask(() -> member.acquireAsMember(part), step);
    }

    /** Returns the options of the requests to the members. They lack interruptOnLoss, because the whole lease may outlast the loss of one member. */
    AcquireOptions partOptions() {
        AcquireOptions part = AcquireOptions.defaults().minHold(options.minHold());
        part = options.givenLease().map(part::lease).orElse(part);
        part = options.isRenewed() ? part.renewed() : part;
        part = options.givenMaxHold().map(part::maxHold).orElse(part);
        return options.boundThread().map(part::boundTo).orElse(part);
    }

    /** Requests a lease from a member. If the outcome is canceled, this request is canceled, too. */
    void await(LibraryLock member, long longestNanos, BiConsumer<AbstractLease, @Nullable Throwable> step) {
        CompletableFuture<AbstractLease> asked = ask(member, longestNanos, step);
        pending = asked;
        if (isDone()) {
            // The outcome was canceled after the request and before the assignment.
            asked.cancel(false);
        }
    }

    private Duration waited() {
        return Duration.ofNanos(lock.background.nanoTime() - since);
    }

    long leftNanos() {
        return waitNanos == Long.MAX_VALUE
                ? Long.MAX_VALUE
                : Math.max(0, waitNanos - (lock.background.nanoTime() - since));
    }

    /** Returns for how long the acquisition has lasted beyond its wait. */
    long overrunNanos() {
        return Math.max(0, lock.background.nanoTime() - since - waitNanos);
    }

    boolean isOver() {
        return leftNanos() == 0;
    }

    /** Creates the lease of all that was acquired. */
    CompositeLease lease(Collection<AbstractLease> parts, int needed, long fencingToken) {
        return new CompositeLease(lock, options, interruptedOnLoss, parts, needed, fencingToken).watched();
    }

    void acquired(CompositeLease lease) {
        if (!isDone()) {
            lease.publish(waited());
        }
        if (!complete(Optional.of(lease))) {
            // The caller has canceled the acquisition.
            lease.releaseAsPart(0);
        }
    }

    void fail(Throwable cause) {
        if (isDone()) {
            return;
        }
        if (cause instanceof LockNotAcquiredException busy) {
            lock.tell(new LockEvent.TimedOut(lock.name, LockKind.REENTRANT, waited()));
            refusal = busy;
            complete(Optional.empty());
            return;
        }
        if (cause instanceof LockUnavailableException) {
            lock.tell(new LockEvent.Unavailable(lock.name, LockKind.REENTRANT, waited(), cause));
        }
        completeExceptionally(cause);
    }

    /** Returns the refusal of the whole lock. Quotes the refusal of a member, if a member was busy. */
    LockNotAcquiredException refusal(@Nullable LockNotAcquiredException member) {
        return member == null
                ? new LockNotAcquiredException(lock.name, wait, null, null)
                : new LockNotAcquiredException(lock.name, wait, member);
    }

    @Override
    protected boolean giveUp() {
        return cancel(false);
    }

    @Override
    protected Background background() {
        return lock.background;
    }

    @Override
    protected String lockName() {
        return lock.name;
    }

    /** Returns no state. The members were asked already, and the refusal quotes the answer of the first busy member. */
    @Override
    protected CompletableFuture<Optional<LockState>> presentState() {
        return CompletableFuture.completedFuture(Optional.empty());
    }

    @Override
    protected LockException busy(Optional<LockState> found) {
        LockNotAcquiredException busy = Objects.requireNonNull(refusal);
        return withPartsOf(busy, refusal(busy));
    }

    /** Returns the failure of the whole lock that follows from the failure of a member, which it quotes. */
    final LockException whole(LockException member) {
        String what = member instanceof WrongLockKindException ? "cannot be acquired" : "is unavailable";
        return Failures.alike(
                member,
                lock.name,
                "Lock '" + LogText.escape(lock.name) + "' " + what + ": " + member.getMessage(),
                member);
    }

    @Override
    protected RuntimeException failure(@Nullable Throwable thrown) {
        return thrown instanceof LockException failed
                ? withPartsOf(
                        failed,
                        Failures.alike(
                                failed, failed.lockName(), String.valueOf(failed.getMessage()), failed.getCause()))
                : new IllegalStateException("Waiting for lock '" + LogText.escape(lock.name) + "' failed", thrown);
    }

    private static LockException withPartsOf(LockException original, LockException copy) {
        for (Throwable part : original.getSuppressed()) {
            copy.addSuppressed(part);
        }
        return copy;
    }
}
