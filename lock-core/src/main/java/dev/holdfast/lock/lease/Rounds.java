package dev.holdfast.lock.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The walks over all that is held. Leases of about one length share a round, which walks over all of them three times a length. A lease costs one
 * entry in a set while it is held and no timer; only one that will run out before the next walk gets a timer for that very moment. So the rate of
 * renewals depends on what is held when a round comes by, not on how many locks came and went.
 */
final class Rounds {

    private final ConcurrentHashMap<Long, Round> rounds = new ConcurrentHashMap<>();
    private final Timer timer;
    private final Ticker ticker;
    private final Stalls stalls;
    private final Predicate<HeldLease> wantsRenewal;
    private final Consumer<List<HeldLease>> renewal;

    /**
     * Creates the rounds.
     *
     * @param wantsRenewal asked of each lease when a round comes by
     * @param renewal gets those of one round that do
     */
    Rounds(Timer timer, Ticker ticker, Predicate<HeldLease> wantsRenewal, Consumer<List<HeldLease>> renewal) {
        this.timer = timer;
        this.ticker = ticker;
        this.stalls = new Stalls(ticker);
        this.wantsRenewal = wantsRenewal;
        this.renewal = renewal;
    }

    void add(HeldLease lease) {
        rounds.compute(Round.periodFor(lease.terms().leaseNanos()), (period, round) -> {
            Round joined = round == null ? new Round(period) : round;
            joined.leases.add(lease);
            joined.endOnTime(lease);
            return joined;
        });
    }

    void forget(HeldLease lease) {
        Round round = rounds.get(Round.periodFor(lease.terms().leaseNanos()));
        if (round != null) {
            round.leases.remove(lease);
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
        return Math.max(late, stalls.longestSince(lease.grant().confirmedAt()));
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
            stalls.rang(dueAt);
            if (rounds.computeIfPresent(period, (p, round) -> round.leases.isEmpty() ? null : round) == null) {
                return;
            }
            // Planned first: whatever goes wrong below, the round comes by again.
            next();
            List<HeldLease> due = new ArrayList<>();
            for (HeldLease lease : leases) {
                lease.loseIfOver();
                if (wantsRenewal.test(lease)) {
                    due.add(lease);
                }
                endOnTime(lease);
            }
            renewal.accept(due);
        }

        /** A lease that may run out before the next walk gets a timer for that moment; one in good health never does. */
        void endOnTime(HeldLease lease) {
            long remaining = lease.remainingNanos();
            if (remaining < period + period / 2) {
                long end = ticker.now() + remaining;
                timer.after(remaining, () -> {
                    stalls.rang(end);
                    lease.loseIfOver();
                });
            }
        }
    }
}
