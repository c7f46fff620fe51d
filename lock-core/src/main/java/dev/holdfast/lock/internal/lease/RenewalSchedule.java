package dev.holdfast.lock.internal.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * When leases are renewed and when they end. Leases of about one length share a round, which walks over all of them three times a length. A held lease
 * costs one entry in a set and no timer. Those that may end before the next walk wait for it in {@link ExpiryTimer}, behind one timer for all. So
 * renewals and timers depend on what is held when a round comes by, not on how many locks came and went.
 */
final class RenewalSchedule {

    private final ConcurrentHashMap<Long, Round> rounds = new ConcurrentHashMap<>();
    private final Timer timer;
    private final Ticker ticker;
    private final PauseDetector pauses;
    private final ExpiryTimer ends;
    private final Predicate<HeldLease> wantsRenewal;
    private final Consumer<List<HeldLease>> renewal;

    /**
     * Creates a schedule.
     *
     * @param wantsRenewal asked of each lease when a round comes by
     * @param renewal gets those of one round that do
     */
    RenewalSchedule(Timer timer, Ticker ticker, Predicate<HeldLease> wantsRenewal, Consumer<List<HeldLease>> renewal) {
        this.timer = timer;
        this.ticker = ticker;
        this.pauses = new PauseDetector(ticker);
        this.ends = new ExpiryTimer(timer, ticker, pauses, this::endReached);
        this.wantsRenewal = wantsRenewal;
        this.renewal = renewal;
    }

    void add(HeldLease lease) {
        rounds.compute(Round.periodFor(lease.terms().leaseNanos()), (period, round) -> {
            Round joined = round == null ? new Round(period) : round;
            joined.leases.add(lease);
            return joined;
        });
        endOnTime(lease);
    }

    void forget(HeldLease lease) {
        Round round = rounds.get(Round.periodFor(lease.terms().leaseNanos()));
        if (round != null) {
            round.leases.remove(lease);
        }
        ends.forget(lease);
    }

    /** A lease that may end before the next walk is watched for that moment; one that is renewed in time never is. */
    private void endOnTime(HeldLease lease) {
        long period = Round.periodFor(lease.terms().leaseNanos());
        long remaining = lease.remainingNanos();
        if (remaining < period + period / 2) {
            ends.watch(lease, ticker.now() + remaining);
        }
    }

    /** The end that was watched for; the lease may have been confirmed since. */
    private void endReached(HeldLease lease) {
        lease.loseIfOver();
        if (lease.isLive()) {
            endOnTime(lease);
        }
    }

    boolean areEmpty() {
        return rounds.values().stream().allMatch(round -> round.leases.isEmpty());
    }

    Stream<HeldLease> leases() {
        return rounds.values().stream().flatMap(round -> round.leases.stream());
    }

    /** The longest time that this process has done nothing, since the lease was confirmed. */
    long stoodStill(HeldLease lease) {
        long now = ticker.now();
        Round round = rounds.get(Round.periodFor(lease.terms().leaseNanos()));
        // The holder may notice before the walk that is late comes by.
        long late = Math.max(now - lease.grant().validUntil(), round == null ? 0 : now - round.dueAt);
        return Math.max(late, pauses.longestSince(lease.grant().confirmedAt()));
    }

    /** The leases of about one length, and the walk over them. */
    private final class Round implements Runnable {

        /** Kept bits of a period: lengths within a sixteenth share a round, so there are at most a few hundred rounds. */
        private static final int PRECISION = 5;

        final Set<HeldLease> leases = ConcurrentHashMap.newKeySet();
        private final long period;
        volatile long dueAt;

        Round(long period) {
            this.period = period;
            next();
        }

        static long periodFor(long leaseNanos) {
            long third = leaseNanos / 3;
            int dropped = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(third) - PRECISION);
            return third >> dropped << dropped;
        }

        private void next() {
            dueAt = ticker.now() + period;
            timer.after(period, this);
        }

        @Override
        public void run() {
            pauses.rang(dueAt);
            if (rounds.computeIfPresent(period, (p, round) -> round.leases.isEmpty() ? null : round) == null) {
                return;
            }
            // Planned first: whatever goes wrong below, the round comes by again.
            next();
            List<HeldLease> due = new ArrayList<>();
            for (HeldLease lease : leases) {
                lease.loseIfOver();
                if (!lease.isLive()) {
                    continue;
                }
                if (wantsRenewal.test(lease)) {
                    due.add(lease);
                }
                endOnTime(lease);
            }
            renewal.accept(due);
        }
    }
}
