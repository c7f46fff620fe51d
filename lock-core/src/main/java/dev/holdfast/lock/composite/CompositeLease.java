package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.log.LockLog;
import dev.holdfast.lock.internal.thread.CallbackThreads;
import dev.holdfast.lock.internal.thread.LeaseEnding;
import dev.holdfast.lock.internal.thread.MemberLease;
import dev.holdfast.lock.internal.thread.UninterruptibleWait;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lease over several leases, held while enough of them are. The client that granted a member renews it and ends it when its time is over. When too
 * few members are left the lease is lost, once, and the rest is released.
 */
final class CompositeLease implements MemberLease {

    private static final LockLog LOG = LockLog.LOG;

    /** The longest that a client waits for a command by default. */
    private static final long RELEASE_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long REPORT_TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final String lockName;
    private final LeaseParts parts;
    private final long fencingToken;
    private final long since;
    private volatile long minHoldNanos;
    private final boolean renewed;
    private final Executor callbacks;
    private final LeaseEnding ending;

    CompositeLease(
            String lockName,
            List<Lease> members,
            int needed,
            long fencingToken,
            AcquireOptions options,
            @Nullable Thread interruptedOnLoss,
            Executor callbacks) {
        this.lockName = lockName;
        this.parts = new LeaseParts(members, needed);
        this.fencingToken = fencingToken;
        this.since = System.nanoTime();
        this.minHoldNanos = options.minHold().toNanos();
        this.renewed = options.isRenewed();
        this.callbacks = callbacks;
        this.ending = new LeaseEnding(lockName, interruptedOnLoss);
    }

    /** Watches the members from now on. Not in the constructor, which must not pass {@code this} on. */
    CompositeLease watched() {
        parts.whenLost(this::partLost);
        return this;
    }

    /** Adds a member that was granted late: a lease that has enough without it can afford to lose another one. */
    void join(Lease late) {
        parts.add(late);
        if (ending.isLive()) {
            LeaseParts.whenLost(late, this::partLost);
        } else {
            MemberReleases.of(List.of(late), keepNanos());
        }
    }

    private void partLost(LeaseLoss lost) {
        if (!parts.areEnough()) {
            lose(lost);
        }
    }

    private void lose(LeaseLoss lost) {
        if (ending.lose(() -> report(lost))) {
            parts.release(keepNanos());
        }
    }

    /** A member that was asked knows that it is lost; its report may still be on its way. */
    private void lose(LossCause cause) {
        lose(new LeaseLoss(lockName, fencingToken, cause, Duration.ZERO, Duration.ZERO));
    }

    private void report(LeaseLoss lost) {
        String cause = "of " + parts.count() + " parts, " + parts.needed() + " of which are needed, '" + lost.lockName()
                + "' was lost, " + lost.cause().description();
        LeaseLoss whole = new LeaseLoss(
                lockName, LockKind.REENTRANT, fencingToken, lost.cause(), held(), lost.sinceConfirmed(), cause);
        if (ending.report(whole)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Lost the lease on lock '" + LogText.escape(lockName) + "' (token " + fencingToken + ") after "
                            + LogText.time(whole.held()) + ": " + LogText.escape(cause));
        }
    }

    private Duration held() {
        return Duration.ofNanos(System.nanoTime() - since);
    }

    /** The rest of the minimum hold. */
    private long keepNanos() {
        return Math.max(0, minHoldNanos - held().toNanos());
    }

    @Override
    public String lockName() {
        return lockName;
    }

    @Override
    public long fencingToken() {
        return fencingToken;
    }

    @Override
    public boolean isHeld() {
        return ending.isLive() && parts.areEnough();
    }

    @Override
    public void assertHeld() {
        if (!isHeld()) {
            throw notHeld();
        }
    }

    @Override
    public Duration remaining() {
        return ending.isLive() ? parts.remaining() : Duration.ZERO;
    }

    /** Whether the members' clients renew it. */
    boolean isRenewed() {
        return renewed;
    }

    @Override
    public boolean verify() {
        return isHeld() && confirmed(parts.verify()) && isHeld();
    }

    @Override
    public void extend(Duration lease) {
        Duration length = AcquireOptions.checkLease("lease", lease);
        if (!isHeld() || !confirmed(parts.extend(length))) {
            throw notHeld();
        }
    }

    @Override
    public void minHold(Duration minHold) {
        long nanos = AcquireOptions.defaults().minHold(minHold).minHold().toNanos();
        assertHeld();
        minHoldNanos = held().toNanos() + nanos;
    }

    @Override
    public void maxHold(Duration maxHold) {
        AcquireOptions checked = AcquireOptions.defaults().maxHold(maxHold);
        assertHeld();
        checked.givenMaxHold().ifPresent(parts::maxHold);
    }

    /** Whether enough members have confirmed. If they cannot any more, the lease is lost; else the outcome is unknown. */
    private boolean confirmed(Confirmations confirmations) {
        if (confirmations.areEnough()) {
            return true;
        }
        if (!confirmations.areInVain()) {
            throw confirmations.unavailable(lockName);
        }
        lose(LossCause.GONE);
        return false;
    }

    @Override
    public void onLost(Consumer<LeaseLoss> callback) {
        loss().thenAccept(lost -> callbacks.execute(() -> {
            try {
                callback.accept(lost);
            } catch (Throwable thrown) {
                LOG.log(System.Logger.Level.WARNING, "A callback threw; the locks are not affected", thrown);
            }
        }));
    }

    @Override
    public CompletableFuture<LeaseLoss> loss() {
        return ending.loss();
    }

    @Override
    public CompletionStage<Void> releaseAsync() {
        return CallbackThreads.view(releaseAsMember(), callbacks);
    }

    CompletableFuture<Void> releaseAsMember() {
        return releaseAsMember(keepNanos());
    }

    @Override
    public CompletableFuture<Void> releaseAsMember(long keepNanos) {
        if (!ending.askRelease()) {
            return ending.released();
        }
        if (!ending.release()) {
            ending.awaitReportOfLoss();
            ending.released().completeExceptionally(notHeld());
            return ending.released();
        }
        MemberReleases releases = parts.release(keepNanos);
        releases.enough(parts.needed()).whenComplete((done, failure) -> {
            if (failure == null) {
                ending.released().complete(null);
            } else {
                releases.firstLoss().ifPresent(this::report);
                RuntimeException whole = loss().isDone() ? new LeaseLostException(loss().join()) : notHeld();
                releases.failures().forEach(whole::addSuppressed);
                ending.released().completeExceptionally(whole);
            }
        });
        return ending.released();
    }

    @Override
    public void close() {
        if (ending.isReleaseAsked()) {
            ending.awaitReportOfLoss();
            return;
        }
        try {
            UninterruptibleWait.get(releaseAsMember(), RELEASE_TIMEOUT_NANOS);
        } catch (TimeoutException e) {
            // Each member's client repeats it until it is done.
        } catch (ExecutionException e) {
            RuntimeException whole = notHeld();
            if (e.getCause() != null) {
                for (Throwable part : e.getCause().getSuppressed()) {
                    whole.addSuppressed(part);
                }
            }
            throw whole;
        }
    }

    /** Why a call that needs the lease cannot have it. */
    private IllegalMonitorStateException notHeld() {
        if (ending.isLive()) {
            // Too few members are held. They know why, and their report is on its way.
            try {
                UninterruptibleWait.get(loss(), REPORT_TIMEOUT_NANOS);
            } catch (TimeoutException | ExecutionException late) {
                lose(LossCause.UNCONFIRMED);
            }
        }
        return ending.notHeld();
    }

    /** Reports its release or its loss, whichever it ends by. */
    void reportEnd(Consumer<LockEvent> listener) {
        ending.released()
                .thenRun(() -> listener.accept(
                        new LockEvent.Released(lockName, LockKind.REENTRANT, fencingToken, held(), false)));
        loss().thenAccept(listener);
    }
}
