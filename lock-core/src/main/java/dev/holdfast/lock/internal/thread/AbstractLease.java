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
 * A lease of this library, and how it ends: released by its holder or lost, whichever comes first. One compare-and-set decides, so a holder learns of
 * a loss exactly once and never after its own release.
 *
 * <p>A loss interrupts the holder that asked for it. The interrupt must not hit what the thread does after it has left the lock. So it is sent
 * before the loss is reported, every release waits for the report, and an interrupt that the holder has not noticed by then is cleared.
 *
 * <p>Its futures complete on the library's own threads, so it can be a part of a composite lease; what is chained to them must not block.
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

    /** Both only once somebody asks for them: most leases are held, and released, without. */
    private volatile @Nullable CompletableFuture<LeaseLoss> loss;

    private @Nullable CompletableFuture<Void> released;
    private volatile @Nullable Consumer<LeaseLoss> whenLost;
    private volatile boolean interruptSent;

    /**
     * Creates a lease that is held.
     *
     * @param startedAt since when, on the clock of {@link #now()}
     * @param interrupted the thread to interrupt on a loss; null if none
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

    /** Releases it; may be called often. Completes {@link #released()}. */
    protected abstract CompletableFuture<Void> release();

    /** How long {@link #close()} waits for it. The release is repeated in the background. */
    public abstract long releasePatienceNanos();

    /** Where {@link #close()} blocks. */
    protected abstract Background background();

    /** Runs callers' code. */
    protected abstract Executor callbacks();

    @Override
    public final String lockName() {
        return lockName;
    }

    @Override
    public final long fencingToken() {
        return fencingToken;
    }

    /** Whether the lease is neither released nor lost. Its time may be over all the same. */
    public final boolean isLive() {
        return phase == HELD;
    }

    @Override
    public final void assertHeld() {
        if (!isHeld()) {
            throw notHeld();
        }
    }

    /** How long its holder has had the lock. */
    public final Duration held() {
        return Duration.ofNanos(Math.max(0, now() - startedAt));
    }

    /** Until when the lock stays taken, released or not. */
    public final long minHoldEnd() {
        return minHoldEnd;
    }

    @Override
    public final void minHold(Duration minHold) {
        long nanos = AcquireOptions.defaults().minHold(minHold).minHold().toNanos();
        assertHeld();
        minHoldEnd = now() + nanos;
    }

    /** Completes when the lease is lost. */
    public final synchronized CompletableFuture<LeaseLoss> loss() {
        CompletableFuture<LeaseLoss> asked = loss == null ? new CompletableFuture<>() : loss;
        loss = asked;
        return asked;
    }

    /** Completes when the lease is released; fails if it was lost before. */
    protected final synchronized CompletableFuture<Void> released() {
        CompletableFuture<Void> asked = released == null ? new CompletableFuture<>() : released;
        released = asked;
        return asked;
    }

    @Override
    public final void onLost(Consumer<LeaseLoss> callback) {
        loss().thenAccept(lost -> callbacks().execute(() -> CallbackThreads.run(() -> callback.accept(lost))));
    }

    @Override
    public final CompletionStage<Void> releaseAsync() {
        return CallbackThreads.view(release(), callbacks());
    }

    /**
     * Releases a part. The whole decides how long the lock stays taken: a part that is released because another one was busy is free at once.
     *
     * @param keepNanos how long the lock stays taken from now on, in place of its minimum hold
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
            // Repeated in the background; the work was protected to its end.
        } catch (ExecutionException e) {
            // With the trace of the caller, who waited for it.
            RuntimeException lost = notHeld();
            if (e.getCause() != null) {
                for (Throwable part : e.getCause().getSuppressed()) {
                    lost.addSuppressed(part);
                }
            }
            throw lost;
        }
    }

    /** The thread's interrupt status is set afterward. */
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

    /** Notes that the holder asks for the release. Returns false if it has asked before. */
    protected final boolean askRelease() {
        return RELEASE_ASKED.compareAndSet(this, 0, 1);
    }

    /** Ends the lease as released. Returns false if it has ended already. */
    protected final boolean endAsReleased() {
        return PHASE.compareAndSet(this, HELD, RELEASED);
    }

    /** Ends the lease as lost, interrupts the holder, then runs the report. Returns false, and does neither, if the lease has ended already. */
    protected final boolean endAsLost(Runnable report) {
        if (!PHASE.compareAndSet(this, HELD, LOST)) {
            return false;
        }
        try {
            // If the thread is interrupted already, there is nothing to add and nothing to clear later.
            if (interrupted != null && !interrupted.isInterrupted()) {
                interruptSent = true;
                interrupted.interrupt();
            }
        } finally {
            report.run();
        }
        return true;
    }

    /** Reports the loss. A release that finds the lock gone reports one, too. Returns false if a loss was reported before. */
    protected final boolean report(LeaseLoss lost) {
        boolean first = loss().complete(lost);
        Consumer<LeaseLoss> action = whenLost;
        if (first && action != null) {
            action.accept(lost);
        }
        return first;
    }

    /**
     * Sets what runs when the loss is reported; at once if it was, and then perhaps twice. For the thread that holds the lease, which so needs no
     * future.
     */
    final void whenLost(Consumer<LeaseLoss> action) {
        whenLost = action;
        CompletableFuture<LeaseLoss> asked = loss;
        LeaseLoss reported = asked == null ? null : asked.getNow(null);
        if (reported != null) {
            action.accept(reported);
        }
    }

    /** Waits for the report if the lease was lost, and clears an interrupt that the current thread has not noticed. Returns whether it was lost. */
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

    /** Why a call that needs the lease cannot have it. */
    protected IllegalMonitorStateException notHeld() {
        // The thread that ended the lease is about to report why.
        LeaseLoss lost = phase == LOST ? loss().join() : loss().getNow(null);
        return lost != null
                ? new LeaseLostException(lost)
                : new IllegalMonitorStateException(
                        "The lease on lock '" + LogText.escape(lockName) + "' was already released");
    }
}
