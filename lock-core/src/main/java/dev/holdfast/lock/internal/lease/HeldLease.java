package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.thread.LossInterrupt;
import dev.holdfast.lock.internal.thread.MemberLease;
import dev.holdfast.lock.internal.thread.UninterruptibleWait;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lease while it lives, and what became of it. It ends once: released by its holder, or lost. Whichever comes first wins a single
 * compare-and-set, so a holder is told of a loss exactly once and never after its own release.
 */
public final class HeldLease implements MemberLease {

    private enum Phase {
        HELD,
        RELEASED,
        LOST
    }

    private final Grant grant;
    private final LeaseTerms terms;
    private final LeaseKeeper keeper;
    private final Watchdog watchdog;
    private final EventPublisher events;
    private final Ticker ticker;
    private final long fencingToken;
    private final long startedAt;
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.HELD);
    private final CompletableFuture<LeaseLoss> loss = new CompletableFuture<>();
    private final CompletableFuture<Void> released = new CompletableFuture<>();
    private final AtomicBoolean releaseAsked = new AtomicBoolean();
    private final LeaseLimit limit;
    private final RenewalRecord renewalRecord;
    private final LossInterrupt lossInterrupt;
    private volatile boolean renewed;
    private volatile long renewalNanos;
    private volatile long minHoldEnd;
    private volatile boolean handedOver;
    /** Of the one walk over long holds only. */
    boolean toldOfLongHold;

    HeldLease(
            Grant grant,
            LeaseTerms terms,
            long startedAt,
            LeaseKeeper keeper,
            Watchdog watchdog,
            EventPublisher events,
            Ticker ticker) {
        this.grant = grant;
        this.terms = terms;
        this.keeper = keeper;
        this.watchdog = watchdog;
        this.events = events;
        this.ticker = ticker;
        this.fencingToken = grant.takeToken();
        this.startedAt = startedAt;
        this.renewed = terms.renewed();
        this.renewalNanos = terms.leaseNanos();
        this.minHoldEnd = startedAt + terms.minHoldNanos();
        this.limit = new LeaseLimit(terms, startedAt);
        this.renewalRecord = new RenewalRecord(grant, ticker);
        this.lossInterrupt = new LossInterrupt(terms.interruptOnLoss() ? terms.thread() : null);
    }

    @Override
    public String lockName() {
        return grant.lockName();
    }

    @Override
    public long fencingToken() {
        return fencingToken;
    }

    @Override
    public boolean isHeld() {
        return phase.get() == Phase.HELD && remainingNanos() > 0;
    }

    @Override
    public void assertHeld() {
        if (!isHeld()) {
            loseIfOver();
            throw notHeld();
        }
    }

    @Override
    public Duration remaining() {
        return phase.get() == Phase.HELD ? Duration.ofNanos(Math.max(0, remainingNanos())) : Duration.ZERO;
    }

    /** What is left by the clock, whatever became of the lease; negative when over. */
    public long remainingNanos() {
        long now = ticker.now();
        return Math.min(grant.validUntil() - now, limit.leftNanos(now));
    }

    @Override
    public boolean verify() {
        if (!isHeld()) {
            return false;
        }
        if (!keeper.await(keeper.verify(this))) {
            lose(LossCause.GONE);
        }
        return isHeld();
    }

    @Override
    public void extend(Duration lease) {
        long nanos = AcquireOptions.checkLease("lease", lease).toNanos();
        loseIfOver();
        if (phase.get() != Phase.HELD) {
            throw notHeld();
        }
        long sentAt = ticker.now();
        if (!keeper.await(keeper.extend(this, lease))) {
            loseIfOver();
            lose(LossCause.GONE);
            throw notHeld();
        }
        if (!renewed) {
            limit.notBefore(sentAt + nanos - nanos / 20);
        }
    }

    @Override
    public void onLost(Consumer<LeaseLoss> callback) {
        loss.thenAccept(lost -> events.callback(() -> callback.accept(lost)));
    }

    @Override
    public CompletionStage<Void> releaseAsync() {
        return events.onCallerSide(released());
    }

    @Override
    public CompletableFuture<Void> releaseAsMember(long keepNanos) {
        minHoldEnd = ticker.now() + keepNanos;
        return released();
    }

    @Override
    public CompletableFuture<LeaseLoss> loss() {
        return loss;
    }

    @Override
    public void close() {
        if (releaseAsked.get()) {
            awaitReportOfLoss();
            return;
        }
        try {
            UninterruptibleWait.get(released(), keeper.releasePatience().toNanos());
        } catch (TimeoutException e) {
            // Repeated in the background; the work was protected to its end.
        } catch (ExecutionException e) {
            throw notHeld();
        }
    }

    private CompletableFuture<Void> released() {
        releaseAsked.set(true);
        loseIfOver();
        if (phase.compareAndSet(Phase.HELD, Phase.RELEASED)) {
            CompletableFuture<Boolean> freed = new CompletableFuture<>();
            freed.whenComplete(this::finish);
            keeper.release(this, freed);
            // Last: a client that closes goes on once nothing is held, and must find the release under way by then.
            watchdog.forget(this);
        } else if (awaitReportOfLoss()) {
            released.completeExceptionally(notHeld());
        }
        return released;
    }

    /** Nobody leaves a lost lease while its interrupt may still come. */
    private boolean awaitReportOfLoss() {
        if (phase.get() != Phase.LOST) {
            return false;
        }
        loss.join();
        lossInterrupt.takeBack();
        return true;
    }

    private void finish(@Nullable Boolean freed, @Nullable Throwable failure) {
        if (failure == null && Boolean.FALSE.equals(freed)) {
            announceLoss(LossCause.GONE);
            released.completeExceptionally(notHeld());
        } else {
            events.released(this, handedOver);
            released.complete(null);
        }
    }

    /** Ends the lease as lost, unless it has ended already. */
    public boolean lose(LossCause cause) {
        if (!phase.compareAndSet(Phase.HELD, Phase.LOST)) {
            return false;
        }
        try {
            // Only here: a holder that has released, and finds out from the answer, may be at other work by then.
            lossInterrupt.send();
        } finally {
            announceLoss(cause);
        }
        keeper.lost(this, cause);
        watchdog.forget(this);
        return true;
    }

    private void announceLoss(LossCause cause) {
        Duration sinceConfirmed = Duration.ofNanos(ticker.now() - grant.confirmedAt());
        String probably = cause == LossCause.UNCONFIRMED
                ? renewalRecord.whyUnconfirmed(watchdog.stoodStill(this), terms.leaseNanos())
                : cause.description();
        LeaseLoss lost = new LeaseLoss(lockName(), kind(), fencingToken, cause, held(), sinceConfirmed, probably);
        if (loss.complete(lost)) {
            events.lost(lost, grant.owner());
        }
    }

    /** What is known of its renewals. */
    RenewalRecord renewalRecord() {
        return renewalRecord;
    }

    /** The next waiter of this client has the lock from here on: to be said before the release is settled. */
    public void handOver() {
        handedOver = true;
    }

    /** Ends the lease if its time is over; told by the watchdog at that moment, and by every call that finds it so. */
    public void loseIfOver() {
        if (phase.get() != Phase.HELD || remainingNanos() > 0) {
            return;
        }
        if (limit.leftNanos(ticker.now()) <= 0) {
            lose(limit.cause());
        } else {
            lose(terms.deadHolder() == null ? LossCause.UNCONFIRMED : LossCause.ABANDONED);
        }
    }

    /** Why a call that needs the lease cannot have it. */
    public IllegalMonitorStateException notHeld() {
        // Whoever ended the lease is about to say why.
        LeaseLoss lost = phase.get() == Phase.LOST ? loss.join() : loss.getNow(null);
        return lost != null
                ? new LeaseLostException(lost)
                : new IllegalMonitorStateException(
                        "The lease on lock '" + LogText.escape(lockName()) + "' was already released");
    }

    /** Whether the lease is neither released nor lost; its time may be over all the same. */
    public boolean isLive() {
        return phase.get() == Phase.HELD;
    }

    /** For how long this holder has had the lock. */
    public Duration held() {
        return Duration.ofNanos(Math.max(0, ticker.now() - startedAt));
    }

    /** Until when the lock stays taken, released or not. */
    public long minHoldEnd() {
        return minHoldEnd;
    }

    /** Whether the watchdog renews it. */
    public boolean isRenewed() {
        return renewed;
    }

    /**
     * The lease that each renewal asks for: what the holder asked for, however long an extension has made the lease meanwhile. So a dead holder's lock
     * is free at the end of the extension, or a lease after the last renewal, whichever is later.
     */
    public long renewalNanos() {
        return renewalNanos;
    }

    /** How late the renewal is that should have been confirmed by now; zero in good order. */
    long renewalLag() {
        return renewalRecord.lag(renewalNanos);
    }

    /**
     * From here on the watchdog renews it: a nested hold without an end must not end with the outer one's lease.
     *
     * @param leaseNanos the lease that the nested hold asks for, and that Redis has been told
     */
    public void keepRenewed(long leaseNanos) {
        renewalNanos = Math.max(renewalNanos, leaseNanos);
        renewed = true;
        limit.onlyMaxHold();
        // The next round may come by only after the end that the lease had until now.
        watchdog.renewNow(this);
    }

    /** What kind of lock it is a lease on. */
    public LockKind kind() {
        return keeper.kind();
    }

    public Grant grant() {
        return grant;
    }

    LeaseKeeper keeper() {
        return keeper;
    }

    public LeaseTerms terms() {
        return terms;
    }
}
