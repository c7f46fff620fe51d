package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.thread.LeaseEnding;
import dev.holdfast.lock.internal.thread.MemberLease;
import dev.holdfast.lock.internal.thread.UninterruptibleWait;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One holder's lease on a grant: valid until the grant's validity or the holder's own limit ends, whichever is first. */
public final class HeldLease implements MemberLease {

    private final Grant grant;
    private final LeaseTerms terms;
    private final LeaseKeeper keeper;
    private final Watchdog watchdog;
    private final EventPublisher events;
    private final Ticker ticker;
    private final long fencingToken;
    private final long startedAt;
    private final LeaseEnding ending;
    private final LeaseLimit limit;
    private final RenewalRecord renewalRecord;
    private volatile boolean renewed;
    private volatile long renewalNanos;
    private volatile long minHoldEnd;
    private volatile boolean handedOver;
    /** Used by the watchdog's search for long holds only. */
    boolean longHoldReported;

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
        this.ending = new LeaseEnding(grant.lockName(), terms.interruptOnLoss() ? terms.thread() : null);
        this.limit = new LeaseLimit(terms, startedAt);
        this.renewalRecord = new RenewalRecord(grant, ticker);
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
        return ending.isLive() && remainingNanos() > 0;
    }

    @Override
    public void assertHeld() {
        if (!isHeld()) {
            loseIfOver();
            throw ending.notHeld();
        }
    }

    @Override
    public Duration remaining() {
        return ending.isLive() ? Duration.ofNanos(Math.max(0, remainingNanos())) : Duration.ZERO;
    }

    /** The time left by the clock, even if the lease has ended; negative when over. */
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
        if (!ending.isLive()) {
            throw ending.notHeld();
        }
        long sentAt = ticker.now();
        if (!keeper.await(keeper.extend(this, lease))) {
            loseIfOver();
            lose(LossCause.GONE);
            throw ending.notHeld();
        }
        if (!renewed) {
            limit.notBefore(sentAt + nanos - nanos / 20);
        }
    }

    @Override
    public void minHold(Duration minHold) {
        long nanos = AcquireOptions.defaults().minHold(minHold).minHold().toNanos();
        assertHeld();
        minHoldEnd = ticker.now() + nanos;
    }

    @Override
    public void maxHold(Duration maxHold) {
        AcquireOptions checked = AcquireOptions.defaults().maxHold(maxHold);
        assertHeld();
        checked.givenMaxHold().map(TimeUnit.NANOSECONDS::convert).ifPresent(nanos -> limit.atMost(ticker.now(), nanos));
        watchdog.endMoved(this);
    }

    /**
     * From now on the watchdog renews the lease: a nested hold without an end must not end with the outer one's lease.
     *
     * @param leaseNanos the lease that the nested hold asks for, and that Redis knows
     */
    public void keepRenewed(long leaseNanos) {
        renewalNanos = Math.max(renewalNanos, leaseNanos);
        renewed = true;
        limit.onlyMaxHold();
        // The next round may come after the end that the lease had until now.
        watchdog.renewNow(this);
    }

    @Override
    public void onLost(Consumer<LeaseLoss> callback) {
        loss().thenAccept(lost -> events.callback(() -> callback.accept(lost)));
    }

    @Override
    public CompletableFuture<LeaseLoss> loss() {
        return ending.loss();
    }

    @Override
    public CompletionStage<Void> releaseAsync() {
        return events.onCallerSide(release());
    }

    @Override
    public CompletableFuture<Void> releaseAsMember(long keepNanos) {
        minHoldEnd = ticker.now() + keepNanos;
        return release();
    }

    @Override
    public void close() {
        if (ending.isReleaseAsked()) {
            ending.awaitReportOfLoss();
            return;
        }
        try {
            UninterruptibleWait.get(release(), keeper.releasePatience().toNanos());
        } catch (TimeoutException e) {
            // Repeated in the background; the work was protected to its end.
        } catch (ExecutionException e) {
            throw ending.notHeld();
        }
    }

    private CompletableFuture<Void> release() {
        ending.askRelease();
        loseIfOver();
        if (ending.release()) {
            CompletableFuture<Boolean> freed = new CompletableFuture<>();
            freed.whenComplete(this::finish);
            keeper.release(this, freed);
            // Last: a client that closes continues once nothing is held, and must find the release under way by then.
            watchdog.forget(this);
        } else if (ending.awaitReportOfLoss()) {
            ending.released().completeExceptionally(ending.notHeld());
        }
        return ending.released();
    }

    private void finish(@Nullable Boolean freed, @Nullable Throwable failure) {
        // Asked for while it was valid. If its time is over by now, "not yours" says no more than that it ran out on
        // the way.
        boolean taken = failure == null && Boolean.FALSE.equals(freed) && grant.validUntil() - ticker.now() > 0;
        if (taken) {
            // No interrupt: the holder has released, and may be at other work by now.
            reportLoss(LossCause.GONE);
            ending.released().completeExceptionally(ending.notHeld());
        } else {
            events.released(this, handedOver);
            ending.released().complete(null);
        }
    }

    /** Ends the lease as lost. Returns false if it has ended already. */
    public boolean lose(LossCause cause) {
        if (!ending.lose(() -> reportLoss(cause))) {
            return false;
        }
        keeper.lost(this, cause);
        watchdog.forget(this);
        return true;
    }

    private void reportLoss(LossCause cause) {
        Duration sinceConfirmed = Duration.ofNanos(ticker.now() - grant.confirmedAt());
        String probably = cause == LossCause.UNCONFIRMED
                ? renewalRecord.whyUnconfirmed(watchdog.pauseSinceConfirmed(this), terms.leaseNanos())
                : cause.description();
        LeaseLoss lost = new LeaseLoss(lockName(), kind(), fencingToken, cause, held(), sinceConfirmed, probably);
        if (ending.report(lost)) {
            events.lost(lost, grant.owner());
        }
    }

    /** Ends the lease if its time is over. The watchdog calls it at that moment, and so does every call that needs the lease. */
    public void loseIfOver() {
        if (!ending.isLive() || remainingNanos() > 0) {
            return;
        }
        if (limit.leftNanos(ticker.now()) <= 0) {
            lose(limit.cause());
        } else {
            lose(terms.deadHolder() == null ? LossCause.UNCONFIRMED : LossCause.ABANDONED);
        }
    }

    /** Notes that the next waiter of this client gets the lock; called before the release is settled. */
    public void handOver() {
        handedOver = true;
    }

    public IllegalMonitorStateException notHeld() {
        return ending.notHeld();
    }

    /** Whether the lease is neither released nor lost. Its time may be over all the same. */
    public boolean isLive() {
        return ending.isLive();
    }

    /** How long this holder has had the lock. */
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
     * The lease that each renewal asks for: what the holder asked for, even while an extension makes the lease longer. So a dead holder's lock
     * is free at the end of the extension, or a lease after the last renewal, whichever is later.
     */
    public long renewalNanos() {
        return renewalNanos;
    }

    RenewalRecord renewalRecord() {
        return renewalRecord;
    }

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
