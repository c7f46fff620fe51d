package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.lease.Counters.Item;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps every lease of a client: renews those that want it at a third of their length, and ends each the moment its validity does. Where a renewal
 * fails it is soon tried again; where its holder's thread has died it is not sent any more.
 */
public final class Watchdog implements Renewals.Report, AutoCloseable {

    private static final long SHORTEST_RETRY = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LONGEST_RETRY = TimeUnit.MILLISECONDS.toNanos(250);

    private final RenewalSchedule schedule;
    private final ConcurrentLinkedQueue<HeldLease> troubled = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean retryPlanned = new AtomicBoolean();
    private final Set<HeldLease> abandoned = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private volatile boolean draining;
    private final Timer timer;
    private final EventPublisher events;
    private final Counters counters;
    private final Ticker ticker;
    private @Nullable LongHolds longHolds;

    public Watchdog(Timer timer, EventPublisher events, Counters counters, Ticker ticker) {
        this.timer = timer;
        this.events = events;
        this.counters = counters;
        this.ticker = ticker;
        this.schedule = new RenewalSchedule(timer, ticker, this::wantsRenewal, this::renew);
    }

    /**
     * Makes a grant somebody's lease and keeps it from now on.
     *
     * @param grant held by nobody at present
     * @param terms what the holder asked for
     * @param startedAt the moment from which the holder's own times count
     * @param keeper what gave the grant
     * @return the lease
     */
    public HeldLease hold(Grant grant, LeaseTerms terms, long startedAt, LeaseKeeper keeper) {
        HeldLease lease = new HeldLease(grant, terms, startedAt, keeper, this, events, ticker);
        schedule.add(lease);
        return lease;
    }

    /** Completes when nothing is held any more; for a client that takes in no new leases. */
    public CompletableFuture<Void> drained() {
        draining = true;
        completeIfDrained();
        return drained;
    }

    private void completeIfDrained() {
        if (draining && schedule.areEmpty()) {
            drained.complete(null);
        }
    }

    void forget(HeldLease lease) {
        schedule.forget(lease);
        abandoned.remove(lease);
        completeIfDrained();
    }

    /** All leases that are held. */
    public Stream<HeldLease> held() {
        return schedule.leases().filter(HeldLease::isHeld);
    }

    /** Reports from now on who holds for longer than that. */
    public void reportLongHolds(long thresholdNanos) {
        longHolds = new LongHolds(this, events, timer, thresholdNanos);
        longHolds.lookLater();
    }

    /** How late the most overdue renewal is; zero in good order. Leases that are renewed no longer do not count. */
    public Duration renewalLag() {
        return Duration.ofNanos(held().filter(lease -> lease.isRenewed() && !abandoned.contains(lease))
                .mapToLong(lease -> lease.renewalLag())
                .max()
                .orElse(0));
    }

    /** The longest time that this process has done nothing, since the lease was confirmed. */
    long stoodStill(HeldLease lease) {
        return schedule.stoodStill(lease);
    }

    void renewNow(HeldLease lease) {
        renew(List.of(lease));
    }

    private void renew(List<HeldLease> due) {
        due.stream()
                .collect(Collectors.groupingBy(lease -> lease.keeper().renewals()))
                .forEach((renewals, leases) -> renewals.renew(leases, this));
    }

    @Override
    public void confirmed(HeldLease lease, long sentAt, long leaseNanos) {
        counters.count(Item.RENEWAL);
        lease.renewalRecord().confirmed();
        // If it comes too late to revive it, the timer for its end tells the holder.
        lease.grant().confirm(sentAt, leaseNanos, ticker.now());
    }

    @Override
    public void gone(HeldLease lease) {
        lease.lose(LossCause.GONE);
    }

    @Override
    public void failed(HeldLease lease, Throwable problem) {
        counters.count(Item.RENEWAL_FAILURE);
        if (!lease.isLive()) {
            return;
        }
        lease.renewalRecord().failed(problem);
        events.renewalTrouble(lease, problem);
        troubled.add(lease);
        if (retryPlanned.compareAndSet(false, true)) {
            long delay = Math.max(SHORTEST_RETRY, Math.min(LONGEST_RETRY, lease.renewalNanos() / 60));
            timer.after(delay, this::retry);
        }
    }

    /** One timer for all that failed, so that an outage costs a burst now and then and not a timer a lease. */
    private void retry() {
        retryPlanned.set(false);
        List<HeldLease> due = new ArrayList<>();
        for (HeldLease lease = troubled.poll(); lease != null; lease = troubled.poll()) {
            if (lease.isHeld()) {
                due.add(lease);
            }
        }
        renew(due);
    }

    @Override
    public void close() {
        if (longHolds != null) {
            longHolds.close();
        }
        timer.close();
    }

    private boolean wantsRenewal(HeldLease lease) {
        return lease.isLive() && !isAbandoned(lease) && lease.isRenewed();
    }

    private boolean isAbandoned(HeldLease lease) {
        String dead = lease.terms().deadHolder();
        if (dead == null) {
            return false;
        }
        if (abandoned.add(lease)) {
            events.abandoned(lease, dead);
        }
        return true;
    }
}
