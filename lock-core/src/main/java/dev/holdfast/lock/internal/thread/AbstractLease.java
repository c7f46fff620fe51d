package dev.holdfast.lock.internal.thread;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.CallbackThreads;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lease of this library. It ends when its holder releases it or when it is lost, whichever comes first. A single compare-and-set decides this, so a
 * holder learns of a loss exactly once and never after its own release.
 *
 * <p>A loss interrupts a holder that asked for an interrupt. The interrupt must not affect the thread's work after the release. So the interrupt is
 * sent before the loss is reported, every release waits for this report, and the release then clears an interrupt that the holder has not noticed.
 *
 * <p>The futures of a lease complete on the library's own threads, so that the lease can be a part of a composite lease. Functions that are chained
 * to these futures must not block.
 */
public abstract class AbstractLease implements Lease {

    private static final int HELD = 0;
    private static final int RELEASED = 1;
    private static final int LOST = 2;

    private static final AtomicIntegerFieldUpdater<AbstractLease> PHASE =
            AtomicIntegerFieldUpdater.newUpdater(AbstractLease.class, "phase");
    private static final AtomicIntegerFieldUpdater<AbstractLease> RELEASE_ASKED =
            AtomicIntegerFieldUpdater.newUpdater(AbstractLease.class, "releaseAsked");

    private final String lockName;
    private final long fencingToken;
    private final long startedAt;
    private final @Nullable Thread interrupted;
    private volatile long minHoldEnd;
    private volatile int phase;
    private volatile int releaseAsked;
    /** When the holder has released the lease; 0 before. */
    private volatile long releasedAt;

    /** The future of the loss. Like {@link #released}, it is created only on demand, because most leases need neither. */
    private volatile @Nullable CompletableFuture<LeaseLoss> loss;

    private @Nullable CompletableFuture<Void> released;
    private volatile @Nullable CompletableFuture<Void> stop;
    private volatile @Nullable Consumer<LeaseLoss> whenLost;
    private volatile boolean interruptSent;

    /**
     * Creates a lease that is held.
     *
     * @param startedAt when the hold began, on the clock of {@link #now()}
     * @param interrupted the thread to interrupt on a loss, or null
     */
    protected AbstractLease(
            String lockName, long fencingToken, long startedAt, long minHoldNanos, @Nullable Thread interrupted) {
        this.lockName = lockName;
        this.fencingToken = fencingToken;
        this.startedAt = startedAt;
        this.minHoldEnd = startedAt + minHoldNanos;
        this.interrupted = interrupted;
    }

    protected abstract long now();

    /** Releases the lease. Later calls have no further effect. Completes {@link #released()}. */
    protected abstract CompletableFuture<Void> release();

    /** Returns how long {@link #close()} waits for the release. Afterward, the release is repeated in the background. */
    public abstract long releasePatienceNanos();

    /** Returns the object whose methods {@link #close()} blocks in. */
    protected abstract Background background();

    /** Returns the executor for callers' code. */
    protected abstract Executor callbacks();

    @Override
    public final String lockName() {
        return lockName;
    }

    @Override
    public final long fencingToken() {
        return fencingToken;
    }

    /** Returns whether the lease is neither released nor lost. Its time may nevertheless be over. */
    public final boolean isLive() {
        return phase == HELD;
    }

    @Override
    public final void assertHeld() {
        if (!isHeld()) {
            throw notHeld();
        }
    }

    /** Returns when the hold began, on the clock of {@link #now()}. */
    protected final long startedAt() {
        return startedAt;
    }

    /** Returns how long the holder has had the lock, or had it when it released it. */
    public final Duration held() {
        long end = releasedAt;
        return Duration.ofNanos(Math.max(0, (end == 0 ? now() : end) - startedAt));
    }

    /** Returns the time until which the lock stays taken even after a release. */
    public final long minHoldEnd() {
        return minHoldEnd;
    }

    /**
     * Asks Redis about a lease that is held, like {@link #verify()}, but does not wait. The returned future fails if Redis does not answer, or no
     * longer names the owner. In the latter case, the lease is lost before that.
     */
    public abstract CompletableFuture<Void> confirm();

    @Override
    public final void minHold(Duration minHold) {
        long nanos = AcquireOptions.defaults().minHold(minHold).minHold().toNanos();
        checkMinHold(nanos);
        assertHeld();
        minHoldEnd = now() + nanos;
    }

    /** Refuses a minimum hold time that the lock cannot have. */
    public abstract void checkMinHold(long nanos);

    /** Returns a future that completes when the loss of the lease is reported. */
    public final synchronized CompletableFuture<LeaseLoss> loss() {
        CompletableFuture<LeaseLoss> asked = loss == null ? new CompletableFuture<>() : loss;
        loss = asked;
        return asked;
    }

    /** Returns a future that completes when the lease is released, and fails if the lease was lost before that. */
    protected final synchronized CompletableFuture<Void> released() {
        CompletableFuture<Void> asked = released == null ? new CompletableFuture<>() : released;
        released = asked;
        return asked;
    }

    @Override
    public final void onLost(Consumer<LeaseLoss> callback) {
        loss().thenAccept(lost -> callbacks().execute(() -> CallbackThreads.run(() -> callback.accept(lost))));
    }

    /** Returns a future that completes when the holder is asked to stop. */
    public final synchronized CompletableFuture<Void> stop() {
        CompletableFuture<Void> asked = stop == null ? new CompletableFuture<>() : stop;
        stop = asked;
        return asked;
    }

    /** Called when the holder is asked to stop, possibly more than once. */
    protected final void requestStop() {
        if (isLive()) {
            stop().complete(null);
        }
    }

    @Override
    public final boolean stopRequested() {
        CompletableFuture<Void> asked = stop;
        return asked != null && asked.isDone();
    }

    @Override
    public final void onStopRequested(Runnable callback) {
        stop().thenRun(() -> callbacks().execute(() -> CallbackThreads.run(callback)));
    }

    @Override
    public final CompletionStage<Void> releaseAsync() {
        return CallbackThreads.view(release(), callbacks());
    }

    /** Releases like {@link #releaseAsync()}, but throws the loss if it is known at once. */
    final CompletionStage<Void> releaseUnlessOver() {
        CompletableFuture<Void> end = release();
        if (end.isCompletedExceptionally()) {
            throw notHeld();
        }
        return CallbackThreads.view(end, callbacks());
    }

    /**
     * Releases this lease as a part of a composite lease. The composite lease decides how long the lock stays taken. For example, a part that is
     * released because another member was busy is free at once.
     *
     * @param keepNanos how long the lock stays taken from now on. Replaces the minimum hold time
     */
    public final CompletableFuture<Void> releaseAsPart(long keepNanos) {
        minHoldEnd = now() + keepNanos;
        return release();
    }

    @Override
    public final void close() {
        if (releaseAsked != 0) {
            awaitReportOfLoss();
            return;
        }
        try {
            awaitUninterruptibly(release());
        } catch (TimeoutException e) {
            // The release is repeated in the background. The work was protected to its end.
        } catch (ExecutionException e) {
            // Creates a new exception with the stack trace of the caller, who waited for the release.
            RuntimeException lost = notHeld();
            if (e.getCause() != null) {
                for (Throwable part : e.getCause().getSuppressed()) {
                    lost.addSuppressed(part);
                }
            }
            throw lost;
        }
    }

    /** Waits for the release despite interrupts. The thread's interrupt status is set afterward. */
    private void awaitUninterruptibly(CompletableFuture<Void> end) throws ExecutionException, TimeoutException {
        long until = now() + releasePatienceNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    background().get(end, until - now());
                    return;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Records that the holder has asked for the release. Returns false if the holder had asked before. */
    protected final boolean askRelease() {
        return RELEASE_ASKED.compareAndSet(this, 0, 1);
    }

    /** Ends the lease as released. Returns false if the lease has already ended. */
    protected final boolean endAsReleased() {
        if (!PHASE.compareAndSet(this, HELD, RELEASED)) {
            return false;
        }
        releasedAt = now();
        return true;
    }

    /**
     * Ends the lease as lost, interrupts the holder, and then runs the report. If the lease has already ended, returns false and does nothing else.
     */
    protected final boolean endAsLost(Runnable report) {
        if (!PHASE.compareAndSet(this, HELD, LOST)) {
            return false;
        }
        try {
            // If the thread is already interrupted, no interrupt is sent and none must be cleared later.
            if (interrupted != null && !interrupted.isInterrupted()) {
                interruptSent = true;
                interrupted.interrupt();
            }
        } finally {
            report.run();
        }
        return true;
    }

    /** Reports the loss. Also called by a release that finds the lock gone. Returns false if a loss was reported before. */
    protected final boolean report(LeaseLoss lost) {
        boolean first = loss().complete(lost);
        Consumer<LeaseLoss> action = whenLost;
        if (first && action != null) {
            action.accept(lost);
        }
        return first;
    }

    /**
     * Sets the action to run when the loss is reported. If the loss was already reported, the action runs at once, and possibly a second time. With
     * this method, the hold of a thread needs no future.
     */
    final void whenLost(Consumer<LeaseLoss> action) {
        whenLost = action;
        CompletableFuture<LeaseLoss> asked = loss;
        LeaseLoss reported = asked == null ? null : asked.getNow(null);
        if (reported != null) {
            action.accept(reported);
        }
    }

    /**
     * If the lease was lost, waits for the report of the loss and clears an interrupt that the current thread has not noticed. Returns whether the
     * lease was lost.
     */
    protected final boolean awaitReportOfLoss() {
        if (phase != LOST) {
            return false;
        }
        loss().join();
        if (interruptSent && interrupted == Thread.currentThread()) {
            interruptSent = false;
            Thread.interrupted();
        }
        return true;
    }

    /** Returns the exception for a call that needs the lease after its end. */
    protected IllegalMonitorStateException notHeld() {
        // Waits if necessary: the thread that ended the lease is about to report why.
        LeaseLoss lost = phase == LOST ? loss().join() : loss().getNow(null);
        return lost != null
                ? new LeaseLostException(lost)
                : new IllegalMonitorStateException(
                        "The lease on lock '" + LogText.escape(lockName) + "' was already released");
    }
}
