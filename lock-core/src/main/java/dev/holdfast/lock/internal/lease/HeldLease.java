package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LeaseGuard;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.event.AcquisitionSite;
import dev.holdfast.lock.internal.event.ReportedLease;
import dev.holdfast.lock.internal.thread.AbstractLease;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The lease of one holder on a grant. It is valid until the grant's validity or the holder's own limit ends, whichever is first. */
public final class HeldLease extends AbstractLease implements ReportedLease {

    /** The operations that a lease needs from the engine that granted it. */
    public interface LeaseKeeper {

        /** Releases the lock of a lease that its holder released while it was valid. Calls the lease's {@link #freed} once. */
        void release(HeldLease lease);

        /** Cleans up after a lost lease. Redis may still name the owner, unless the cause is {@link LossCause#GONE}. */
        void lost(HeldLease lease, LossCause cause);

        /**
         * Asks Redis whether the owner still has the lock, and waits for the answer.
         *
         * @throws dev.holdfast.lock.LockUnavailableException if Redis did not answer
         */
        boolean verify(HeldLease lease);

        /** Asks Redis whether the owner still has the lock. Fails if Redis did not answer. */
        CompletionStage<Boolean> verifyAsync(HeldLease lease);

        /**
         * Extends the time to live of the key to at least the given length, and the validity of the grant accordingly. Returns false if the owner no
         * longer has the lock or the answer came too late.
         *
         * @throws dev.holdfast.lock.LockUnavailableException if Redis did not answer
         */
        boolean extend(HeldLease lease, Duration length);

        /**
         * Refuses a time for which the lock may stay taken that is too long for the client.
         *
         * @param what the name of the time, for the message
         */
        void checkTime(String what, long nanos);

        /** Returns what writes to Redis as the holder of the lease. */
        LeaseGuard guard(HeldLease lease);

        LockKind kind();

        /** Returns the object that renews leases of this kind. */
        Renewals renewals();

        /** Returns the object whose methods a blocking release waits in. */
        default Background background() {
            return Background.SYSTEM;
        }

        /** Returns the executor for callers' code. */
        Executor callbacks();

        /** Returns how long a blocking release waits for Redis. */
        Duration releasePatience();
    }

    /** Renews leases in Redis. */
    @FunctionalInterface
    public interface Renewals {

        /**
         * Sends the renewals of the given leases and returns. Each lease is notified of its own outcome, so a node that does not answer delays no other
         * lease. The notification is {@link #renewalConfirmed}, {@link #gone} if Redis no longer names the lease's owner, or {@link
         * HeldLease#renewalFailed} if the outcome is unknown.
         */
        void renew(List<HeldLease> due);
    }

    private final Grant grant;
    private final LeaseTerms terms;
    private final LeaseKeeper keeper;
    private final LeaseTable table;
    private volatile Limit limit;
    /** The number of renewals that have failed since the last confirmation, and the problem of the last one. */
    private volatile int failures;

    private volatile @Nullable Throwable lastFailure;
    private volatile boolean renewed;
    private volatile long renewalNanos;

    HeldLease(Grant grant, LeaseTerms terms, long startedAt, LeaseKeeper keeper, LeaseTable table) {
        super(
                grant.lockName(),
                grant.takeToken(),
                startedAt,
                terms.minHoldNanos(),
                terms.interruptOnLoss() ? terms.thread() : null);
        this.grant = grant;
        this.terms = terms;
        this.keeper = keeper;
        this.table = table;
        this.renewed = terms.renewed();
        this.renewalNanos = terms.leaseNanos();
        this.limit = Limit.of(terms, startedAt);
    }

    @Override
    protected long now() {
        return table.ticker.now();
    }

    /** Derives the hash code from the token, so that the order in which leases are renewed does not depend on the JVM. */
    @Override
    public int hashCode() {
        // The first tokens of grants differ only in their higher bits.
        return (int) ((fencingToken() * 0x9E3779B97F4A7C15L) >>> 32);
    }

    @Override
    public boolean isHeld() {
        return isLive() && remainingNanos() > 0;
    }

    @Override
    public Duration remaining() {
        return isLive() ? Duration.ofNanos(Math.max(0, remainingNanos())) : Duration.ZERO;
    }

    /** Returns the time left by the clock, even if the lease has ended. Negative if the time is over. */
    public long remainingNanos() {
        long now = now();
        return Math.min(grant.validUntil() - now, limit.leftNanos(now));
    }

    @Override
    public LeaseGuard guard() {
        return keeper.guard(this);
    }

    @Override
    public boolean verify() {
        if (!isHeld()) {
            return false;
        }
        return confirmed(keeper.verify(this));
    }

    private boolean confirmed(boolean isOwner) {
        if (!isOwner) {
            gone();
        }
        tellStop();
        return isHeld();
    }

    @Override
    public CompletableFuture<Void> confirm() {
        return keeper.verifyAsync(this)
                .thenAccept(isOwner -> {
                    if (!confirmed(isOwner)) {
                        throw new IllegalStateException("The lease has ended");
                    }
                })
                .toCompletableFuture();
    }

    @Override
    public void checkMinHold(long nanos) {
        keeper.checkTime("minHold", nanos);
    }

    @Override
    public void extend(Duration lease) {
        long nanos = AcquireOptions.checkLease("lease", lease).toNanos();
        assertHeld();
        long sentAt = now();
        if (!keeper.extend(this, lease)) {
            gone();
            throw notHeld();
        }
        if (!renewed) {
            limit(before -> before.notBefore(sentAt + nanos - nanos / 20));
        }
        tellStop();
    }

    @Override
    public void maxHold(Duration maxHold) {
        AcquireOptions checked = AcquireOptions.defaults().maxHold(maxHold);
        assertHeld();
        checked.givenMaxHold()
                .map(TimeUnit.NANOSECONDS::convert)
                .ifPresent(nanos -> limit(before -> before.atMost(now(), nanos)));
        table.watchEnd(this);
    }

    private synchronized void limit(UnaryOperator<Limit> change) {
        limit = change.apply(limit);
    }

    /**
     * Makes the watchdog renew the lease from now on, because a nested hold without a given lease must not end with the lease of the outer hold.
     *
     * @param leaseNanos the lease of the nested hold, which Redis already knows
     */
    public void keepRenewed(long leaseNanos) {
        renewalNanos = Math.max(renewalNanos, leaseNanos);
        renewed = true;
        limit(Limit::onlyMaxHold);
        // Renews at once, because the next round may come after the end that the lease had until now.
        table.renew(List.of(this));
    }

    @Override
    protected Executor callbacks() {
        return keeper.callbacks();
    }

    @Override
    protected Background background() {
        return keeper.background();
    }

    @Override
    public long releasePatienceNanos() {
        return keeper.releasePatience().toNanos();
    }

    @Override
    protected CompletableFuture<Void> release() {
        askRelease();
        loseIfOver();
        if (endAsReleased()) {
            keeper.release(this);
            // Done last: a closing client continues as soon as nothing is held, and must then find this release under
            // way.
            table.forget(this);
        } else if (awaitReportOfLoss()) {
            released().completeExceptionally(notHeld());
        }
        return released();
    }

    /** Called when the holder has the lease, which may already be released. Sets the timers of a short lease only now, to save the holder time. */
    public void begun() {
        table.planEarly(this);
    }

    /**
     * Called when the release has ended.
     *
     * @param wasOwner true if Redis has freed the lock or refused to free it, or if the lock is handed over to a local waiter; false if Redis no
     *     longer named the owner
     * @param handedOver whether the lock is handed over to a local waiter
     */
    public void freed(boolean wasOwner, boolean handedOver) {
        // The release was requested while the lease was valid. If the lease's time is over by now, the lease may simply
        // have run out before the release reached Redis, which is no loss.
        if (!wasOwner && grant.validUntil() - now() > 0) {
            // Does not interrupt the holder, which has released the lease and may be doing other work.
            reportLoss(LossCause.GONE);
            released().completeExceptionally(notHeld());
        } else {
            table.events.released(this, handedOver);
            released().complete(null);
        }
    }

    /** Ends the lease as lost. Returns false if the lease has already ended. */
    public boolean lose(LossCause cause) {
        if (!endAsLost(() -> reportLoss(cause))) {
            return false;
        }
        keeper.lost(this, cause);
        table.forget(this);
        return true;
    }

    private void reportLoss(LossCause cause) {
        Duration sinceConfirmed = Duration.ofNanos(now() - grant.confirmedAt());
        String probably = cause == LossCause.UNCONFIRMED
                ? "no renewal was confirmed in time: " + whyUnconfirmed()
                : cause.description();
        LeaseLoss lost = new LeaseLoss(lockName(), kind(), fencingToken(), cause, held(), sinceConfirmed, probably);
        if (report(lost)) {
            table.events.lost(lost, grant.owner());
        }
    }

    private String whyUnconfirmed() {
        long pauseNanos = table.pauseSinceConfirmed(this);
        // A shorter pause alone cannot cause the loss: the renewal that is due after a third of the lease would still
        // come in time.
        if (pauseNanos > terms.leaseNanos() / 2) {
            return "this process stood still, or had no processor, for " + LogText.time(Duration.ofNanos(pauseNanos));
        }
        int failed = failures;
        Throwable last = lastFailure;
        return failed == 0 || last == null
                ? "Redis has not answered the last one"
                : "Redis failed " + failed + ", the last with: " + last.getMessage();
    }

    /** Ends the lease if its time is over. Called by the watchdog at that moment, and by every call that needs the lease. */
    public void loseIfOver() {
        if (!isLive() || remainingNanos() > 0) {
            return;
        }
        LossCause unrenewed = terms.deadHolder() == null ? LossCause.UNCONFIRMED : LossCause.ABANDONED;
        lose(limit.leftNanos(now()) <= 0 ? limit.cause() : unrenewed);
    }

    /** Called when Redis no longer names the owner. If the lease's time is over, this only means that the lease has run out. */
    public void gone() {
        loseIfOver();
        lose(LossCause.GONE);
    }

    @Override
    protected IllegalMonitorStateException notHeld() {
        loseIfOver();
        return super.notHeld();
    }

    /** Returns whether the watchdog renews the lease. */
    public boolean isRenewed() {
        return renewed;
    }

    /**
     * Returns the lease that each renewal requests. It is the lease that the holder asked for, even while an extension makes the lease longer. So if
     * the holder dies, the lock is free at the end of the extension or one lease length after the last renewal, whichever is later.
     */
    public long renewalNanos() {
        return renewalNanos;
    }

    /**
     * Called when Redis has renewed the lease for the given time by a command that was sent at the given time. If the confirmation is too late to
     * extend the lease, the timer for the lease's end notifies the holder.
     */
    public void renewalConfirmed(long sentAt, long leaseNanos) {
        table.confirmed();
        if (failures > 0) {
            synchronized (this) {
                failures = 0;
                lastFailure = null;
            }
        }
        grant.confirm(sentAt, leaseNanos, now());
        tellStop();
    }

    private void tellStop() {
        if (grant.asksToStop(fencingToken(), startedAt())) {
            requestStop();
        }
    }

    /** Returns whether the latest renewal was not confirmed. */
    boolean isUnconfirmed() {
        return failures > 0;
    }

    /** Called when it is unknown whether Redis has renewed the lease. The renewal is repeated. */
    public void renewalFailed(Throwable problem) {
        synchronized (this) {
            lastFailure = problem;
            failures++;
        }
        table.failed(this, problem);
    }

    @Override
    public LockKind kind() {
        return keeper.kind();
    }

    @Override
    public String owner() {
        return grant.owner();
    }

    @Override
    public @Nullable AcquisitionSite site() {
        return terms.site();
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

    /**
     * The end of a holder's own time, which may come while the grant is still valid for other holders. It is the end of a given lease or of the maximum
     * hold, whichever is first.
     *
     * @param startedAt the time from which the other two are counted
     * @param lease the length of a given lease, or {@link LeaseTerms#NO_LIMIT} if the lease is renewed
     * @param maxHold the maximum hold time, or {@link LeaseTerms#NO_LIMIT} if there is none
     */
    private record Limit(long startedAt, long lease, long maxHold) {

        /** The limit of most holders: their leases are renewed, for as long as they like. They share this object. */
        private static final Limit NONE = new Limit(0, LeaseTerms.NO_LIMIT, LeaseTerms.NO_LIMIT);

        static Limit of(LeaseTerms terms, long startedAt) {
            long lease = terms.renewed() ? LeaseTerms.NO_LIMIT : terms.leaseNanos() - terms.leaseNanos() / 20;
            return of(startedAt, lease, terms.maxHoldNanos());
        }

        private static Limit of(long startedAt, long lease, long maxHold) {
            return Math.min(lease, maxHold) == LeaseTerms.NO_LIMIT ? NONE : new Limit(startedAt, lease, maxHold);
        }

        /** Returns the time left, which is negative after the end. */
        long leftNanos(long now) {
            long limit = Math.min(lease, maxHold);
            return limit == LeaseTerms.NO_LIMIT ? Long.MAX_VALUE : startedAt + limit - now;
        }

        /** Extends the given lease so that it ends no earlier than at the given time. */
        Limit notBefore(long end) {
            return lease == LeaseTerms.NO_LIMIT ? this : of(startedAt, Math.max(end - startedAt, lease), maxHold);
        }

        /** Removes the limit of the given lease. Only the maximum hold is left. */
        Limit onlyMaxHold() {
            return of(startedAt, LeaseTerms.NO_LIMIT, maxHold);
        }

        /** Sets the maximum hold time, counted from now. */
        Limit atMost(long now, long nanos) {
            long start = Math.min(lease, maxHold) == LeaseTerms.NO_LIMIT ? now : startedAt;
            return of(start, lease, nanos > LeaseTerms.NO_LIMIT / 2 ? LeaseTerms.NO_LIMIT : now - start + nanos);
        }

        LossCause cause() {
            return maxHold <= lease ? LossCause.MAX_HOLD : LossCause.EXPIRED;
        }
    }
}
