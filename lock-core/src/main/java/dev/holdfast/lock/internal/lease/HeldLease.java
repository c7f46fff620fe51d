package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.AcquireOptions;
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
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One holder's lease on a grant: valid until the grant's validity or the holder's own limit ends, whichever is first. */
public final class HeldLease extends AbstractLease implements ReportedLease {

    private final Grant grant;
    private final LeaseTerms terms;
    private final LeaseKeeper keeper;
    private final RenewalSchedule schedule;
    private final LeaseLimit limit;
    /** How many renewals have failed since the last confirmation. Written before the last failure, and read after it. */
    private int failures;

    private volatile @Nullable Throwable lastFailure;
    private volatile boolean renewed;
    private volatile long renewalNanos;
    private volatile boolean handedOver;
    /** Used by the watchdog's search for long holds only. */
    boolean longHoldReported;

    HeldLease(Grant grant, LeaseTerms terms, long startedAt, LeaseKeeper keeper, RenewalSchedule schedule) {
        super(
                grant.lockName(),
                grant.takeToken(),
                startedAt,
                terms.minHoldNanos(),
                terms.interruptOnLoss() ? terms.thread() : null);
        this.grant = grant;
        this.terms = terms;
        this.keeper = keeper;
        this.schedule = schedule;
        this.renewed = terms.renewed();
        this.renewalNanos = terms.leaseNanos();
        this.limit = new LeaseLimit(terms, startedAt);
    }

    @Override
    protected long now() {
        return schedule.ticker.now();
    }

    /** By its token: the order in which leases are renewed must not depend on the JVM. */
    @Override
    public int hashCode() {
        // The first tokens of grants differ in their higher bits only.
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

    /** The time left by the clock, even if the lease has ended; negative when over. */
    public long remainingNanos() {
        long now = now();
        return Math.min(grant.validUntil() - now, limit.leftNanos(now));
    }

    @Override
    public boolean verify() {
        if (!isHeld()) {
            return false;
        }
        if (!keeper.verify(this)) {
            gone();
        }
        return isHeld();
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
            limit.notBefore(sentAt + nanos - nanos / 20);
        }
    }

    @Override
    public void maxHold(Duration maxHold) {
        AcquireOptions checked = AcquireOptions.defaults().maxHold(maxHold);
        assertHeld();
        checked.givenMaxHold().map(TimeUnit.NANOSECONDS::convert).ifPresent(nanos -> limit.atMost(now(), nanos));
        schedule.watchEnd(this);
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
        schedule.renew(List.of(this));
    }

    @Override
    protected Executor callbacks() {
        return schedule.events.callbacks();
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
            // Last: a client that closes continues once nothing is held, and must find the release under way by then.
            schedule.forget(this);
        } else if (awaitReportOfLoss()) {
            released().completeExceptionally(notHeld());
        }
        return released();
    }

    /** Its holder has it. Sets the timers of a short lease, which need not delay the holder. It may have been released by now. */
    public void begun() {
        schedule.planEarly(this);
    }

    /**
     * The release has come to its end.
     *
     * @param wasOwner true once Redis has freed the lock, refuses to, or is about to hand it to a local waiter; false if it no longer knew the owner
     */
    public void freed(boolean wasOwner) {
        // Asked for while it was valid. If its time is over by now, "not yours" says no more than that it ran out on
        // the way.
        if (!wasOwner && grant.validUntil() - now() > 0) {
            // No interrupt: the holder has released, and may be at other work by now.
            reportLoss(LossCause.GONE);
            released().completeExceptionally(notHeld());
        } else {
            schedule.events.released(this, handedOver);
            released().complete(null);
        }
    }

    /** Ends the lease as lost. Returns false if it has ended already. */
    public boolean lose(LossCause cause) {
        if (!endAsLost(() -> reportLoss(cause))) {
            return false;
        }
        keeper.lost(this, cause);
        schedule.forget(this);
        return true;
    }

    private void reportLoss(LossCause cause) {
        Duration sinceConfirmed = Duration.ofNanos(now() - grant.confirmedAt());
        String probably = cause == LossCause.UNCONFIRMED
                ? "no renewal was confirmed in time: " + whyUnconfirmed()
                : cause.description();
        LeaseLoss lost = new LeaseLoss(lockName(), kind(), fencingToken(), cause, held(), sinceConfirmed, probably);
        if (report(lost)) {
            schedule.events.lost(lost, grant.owner());
        }
    }

    private String whyUnconfirmed() {
        long pauseNanos = schedule.pauseSinceConfirmed(this);
        // A shorter pause alone cannot cost it: the renewal that is due at a third would still come in time.
        if (pauseNanos > terms.leaseNanos() / 2) {
            return "this process stood still, or had no processor, for " + LogText.time(Duration.ofNanos(pauseNanos));
        }
        Throwable last = lastFailure;
        return last == null
                ? "Redis has not answered the last one"
                : "Redis failed " + failures + ", the last with: " + last.getMessage();
    }

    /** Ends the lease if its time is over. The watchdog calls it at that moment, and so does every call that needs the lease. */
    public void loseIfOver() {
        if (!isLive() || remainingNanos() > 0) {
            return;
        }
        if (limit.leftNanos(now()) <= 0) {
            lose(limit.cause());
        } else {
            lose(terms.deadHolder() == null ? LossCause.UNCONFIRMED : LossCause.ABANDONED);
        }
    }

    /** Redis no longer names the owner. Once the lease's time is over, that says no more than that it ran out. */
    public void gone() {
        loseIfOver();
        lose(LossCause.GONE);
    }

    /** Notes that the next waiter of this client gets the lock; called before the release is settled. */
    public void handOver() {
        handedOver = true;
    }

    @Override
    protected IllegalMonitorStateException notHeld() {
        loseIfOver();
        return super.notHeld();
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

    /** Redis renewed the lease for that time by a command sent at that moment. If it is too late to extend it, the timer for its end tells the holder. */
    public void renewalConfirmed(long sentAt, long leaseNanos) {
        schedule.confirmed();
        if (lastFailure != null) {
            failures = 0;
            lastFailure = null;
        }
        grant.confirm(sentAt, leaseNanos, now());
    }

    /** Whether a renewal took place is unknown; it is repeated. Reports for one lease come one at a time. */
    public void renewalFailed(Throwable problem) {
        failures++;
        lastFailure = problem;
        schedule.failed(this, problem);
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
    public Thread thread() {
        return terms.thread();
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
}
