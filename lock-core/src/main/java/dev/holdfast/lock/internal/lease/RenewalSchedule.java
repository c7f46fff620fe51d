package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.event.Counters;
import dev.holdfast.lock.internal.event.Counters.Item;
import dev.holdfast.lock.internal.event.EventPublisher;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * When leases are renewed and when they end. Leases of about one length share a round, which renews them three times a length, so a held lease
 * costs an entry in a set and no timer. Leases that may end before the next round are in {@link ExpiryTimer}, behind one timer for all. So
 * renewals and timers depend on what is held when a round comes, not on how many locks came and went.
 *
 * <p>Failed renewals are soon repeated. A lease whose holder's thread has ended is renewed no longer.
 */
final class RenewalSchedule {

    private static final long SHORTEST_RETRY = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LONGEST_RETRY = TimeUnit.MILLISECONDS.toNanos(250);

    private final ConcurrentHashMap<Long, RenewalRound> rounds = new ConcurrentHashMap<>();
    /** Boxed: it is the key of the last lease's round, and a new key for each acquisition and each release would be garbage. */
    private volatile Long usualPeriod = 0L;

    private final DelayedRenewals failed = new DelayedRenewals(lease -> true);
    private final DelayedRenewals granted = new DelayedRenewals(lease -> isShort(lease) && wantsRenewal(lease));
    private final Set<HeldLease> abandoned = ConcurrentHashMap.newKeySet();
    private final Timer timer;
    final Ticker ticker;
    final EventPublisher events;
    private final Counters counters;
    private final PauseDetector pauses;
    private final ExpiryTimer ends;
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private volatile boolean draining;

    RenewalSchedule(Timer timer, Ticker ticker, EventPublisher events, Counters counters) {
        this.timer = timer;
        this.ticker = ticker;
        this.events = events;
        this.counters = counters;
        this.pauses = new PauseDetector(ticker);
        this.ends = new ExpiryTimer(timer, ticker, pauses, this::endReached);
    }

    void add(HeldLease lease) {
        rounds.compute(roundOf(lease), (period, round) -> {
            RenewalRound joined = round == null ? new RenewalRound(period) : round;
            joined.leases.add(lease);
            return joined;
        });
    }

    /** Plans what must happen to a lease before its first regular round. Most leases need nothing. */
    void planEarly(HeldLease lease) {
        watchEnd(lease);
        if (lease.isRenewed() && lease.isLive() && isShort(lease)) {
            // Not at once: most leases that are granted for a short time are released before they need a renewal.
            granted.add(lease, lease.remainingNanos() / 6);
        }
    }

    /** Whether the lease may end before its first regular renewal. */
    private boolean isShort(HeldLease lease) {
        return lease.grant().validUntil() - ticker.now() < lease.renewalNanos() / 2;
    }

    /** The key of a lease's round. Nearly all leases of a client are in one round, so nearly always the same object. */
    private Long roundOf(HeldLease lease) {
        long period = RenewalRound.periodFor(lease);
        Long usual = usualPeriod;
        if (usual != period) {
            usual = period;
            usualPeriod = usual;
        }
        return usual;
    }

    void forget(HeldLease lease) {
        RenewalRound round = rounds.get(roundOf(lease));
        if (round != null) {
            round.leases.remove(lease);
        }
        ends.forget(lease);
        abandoned.remove(lease);
        completeIfDrained();
    }

    /** Completes when nothing is held any more. Only for a client that grants no new leases. */
    CompletableFuture<Void> drained() {
        draining = true;
        completeIfDrained();
        return drained;
    }

    private void completeIfDrained() {
        if (draining && rounds.values().stream().allMatch(round -> round.leases.isEmpty())) {
            drained.complete(null);
        }
    }

    Stream<HeldLease> leases() {
        return rounds.values().stream().flatMap(round -> round.leases.stream());
    }

    /** Watches a lease that may end before the next round. One that is renewed in time is never watched. */
    void watchEnd(HeldLease lease) {
        long period = RenewalRound.periodFor(lease);
        long remaining = lease.remainingNanos();
        if (remaining < period + period / 2) {
            ends.watch(lease, ticker.now() + remaining);
        }
    }

    /** The lease may have been confirmed since its end was watched. */
    private void endReached(HeldLease lease) {
        lease.loseIfOver();
        if (lease.isLive()) {
            watchEnd(lease);
        }
    }

    /** The longest time, since the lease was confirmed, in which this process did not run. */
    long pauseSinceConfirmed(HeldLease lease) {
        long now = ticker.now();
        RenewalRound round = rounds.get(RenewalRound.periodFor(lease));
        // The holder may find the lease over before the late round runs.
        long late = Math.max(now - lease.grant().validUntil(), round == null ? 0 : now - round.dueAt);
        return Math.max(late, pauses.longestSince(lease.grant().confirmedAt()));
    }

    /** How late the most overdue renewal is; zero in good order. */
    long lag() {
        return leases().filter(lease -> lease.isHeld() && lease.isRenewed() && !abandoned.contains(lease))
                .mapToLong(this::lag)
                .max()
                .orElse(0);
    }

    /** A renewal is due at each third of the lease and has a third of that time for the round trip. */
    private long lag(HeldLease lease) {
        long third = lease.renewalNanos() / 3;
        long overdue = ticker.now() - lease.grant().confirmedAt() - third;
        return overdue > third / 3 ? overdue : 0;
    }

    /** Sends renewals, those of one kind of lock together. */
    void renew(List<HeldLease> due) {
        due.stream()
                .collect(Collectors.groupingBy(lease -> lease.keeper().renewals()))
                .forEach(Renewals::renew);
    }

    private boolean wantsRenewal(HeldLease lease) {
        return lease.isLive() && !isAbandoned(lease) && lease.isRenewed();
    }

    private boolean isAbandoned(HeldLease lease) {
        String dead = lease.terms().deadHolder();
        if (dead != null && abandoned.add(lease)) {
            events.abandoned(lease, dead);
        }
        return dead != null;
    }

    void confirmed() {
        counters.count(Item.RENEWAL);
    }

    void failed(HeldLease lease, Throwable problem) {
        counters.count(Item.RENEWAL_FAILURE);
        if (lease.isLive()) {
            events.renewalTrouble(lease, problem);
            failed.add(lease, Math.max(SHORTEST_RETRY, lease.renewalNanos() / 60));
        }
    }

    /** Leases that are renewed a little later, behind one timer: an outage costs a burst now and then, and not a timer for each lease. */
    private final class DelayedRenewals {

        private final ConcurrentLinkedQueue<HeldLease> leases = new ConcurrentLinkedQueue<>();
        private final AtomicBoolean planned = new AtomicBoolean();
        private final Predicate<HeldLease> due;

        DelayedRenewals(Predicate<HeldLease> due) {
            this.due = due;
        }

        void add(HeldLease lease, long delay) {
            leases.add(lease);
            if (planned.compareAndSet(false, true)) {
                timer.after(Math.min(LONGEST_RETRY, delay), this::renewAll);
            }
        }

        private void renewAll() {
            planned.set(false);
            renew(Stream.generate(leases::poll)
                    .takeWhile(Objects::nonNull)
                    .filter(HeldLease::isHeld)
                    .filter(due)
                    .toList());
        }
    }

    /** The leases of about one length. */
    private final class RenewalRound implements Runnable {

        /** Kept bits of a period: lengths within a sixteenth share a round, so there are at most a few hundred rounds. */
        private static final int PRECISION = 5;

        final Set<HeldLease> leases = ConcurrentHashMap.newKeySet();
        private final long period;
        volatile long dueAt;

        RenewalRound(long period) {
            this.period = period;
            plan();
        }

        static long periodFor(HeldLease lease) {
            long third = lease.terms().leaseNanos() / 3;
            int dropped = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(third) - PRECISION);
            return third >> dropped << dropped;
        }

        private void plan() {
            dueAt = ticker.now() + period;
            timer.after(period, this);
        }

        @Override
        public void run() {
            pauses.rang(dueAt);
            if (rounds.computeIfPresent(period, (p, round) -> round.leases.isEmpty() ? null : round) == null) {
                return;
            }
            // Planned first: if anything below fails, the next round runs all the same.
            plan();
            List<HeldLease> due = new ArrayList<>();
            for (HeldLease lease : leases) {
                lease.loseIfOver();
                if (lease.isLive()) {
                    if (wantsRenewal(lease)) {
                        due.add(lease);
                    }
                    watchEnd(lease);
                }
            }
            renew(due);
        }
    }
}
