package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.internal.background.PauseDetector;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.event.Counters;
import dev.holdfast.lock.internal.event.EventPublisher;
import dev.holdfast.lock.internal.lease.HeldLease.LeaseKeeper;
import dev.holdfast.lock.internal.lease.HeldLease.Renewals;
import dev.holdfast.lock.internal.reign.Grace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All leases of a client. Decides when they are renewed and when they end. Leases of similar length share a round, which renews them three
 * times in each lease length. So a held lease costs an entry in a set and no timer, except for a lease that may end before the next round. The number
 * of renewals depends on the leases that are held when a round runs, and not on the number of acquisitions and releases.
 *
 * <p>Failed renewals are soon repeated, a few at a time, unless their answers arrive late. When its holder's thread ends, a lease is no longer
 * renewed.
 */
public final class LeaseTable implements AutoCloseable {

    private static final long SHORTEST_RETRY = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LONGEST_RETRY = TimeUnit.MILLISECONDS.toNanos(250);

    private static final long BETWEEN_LOOKS = TimeUnit.MILLISECONDS.toNanos(250);

    private final ConcurrentHashMap<Long, RenewalRound> rounds = new ConcurrentHashMap<>();
    /**
     * The period of the most recently used round. Boxed so that the key object is reused; otherwise, each acquisition and release would allocate one.
     */
    private volatile Long usualPeriod = 0L;

    private final DelayedRenewals granted = new DelayedRenewals(lease -> isShort(lease) && wantsRenewal(lease), 0);
    private final Map<String, Held> byKey = new ConcurrentHashMap<>();
    private final Set<HeldLease> abandoned = ConcurrentHashMap.newKeySet();
    private final Timer timer;
    final Ticker ticker;
    final EventPublisher events;
    private final Counters counters;
    private final PauseDetector pauses;
    /** The timeouts of the leases that may end before their next round. */
    private final Map<HeldLease, Timer.Timeout> ends = new ConcurrentHashMap<>();

    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private volatile boolean draining;
    /** Whether leases that are not renewed are asserted when others are renewed. */
    private volatile boolean assertsAll;
    /** Asserts what this client knows besides its holds. */
    private volatile Runnable assertOthers = () -> {};

    private Timer.@Nullable Timeout nextLook;
    private boolean closed;

    public LeaseTable(Timer timer, EventPublisher events, Counters counters, Ticker ticker) {
        this.timer = timer;
        this.ticker = ticker;
        this.events = events;
        this.counters = counters;
        this.pauses = new PauseDetector(ticker);
    }

    /**
     * Creates a holder's lease on a grant and keeps it from now on. The caller then calls {@link HeldLease#begun()}.
     *
     * @param grant a grant without a present holder
     * @param startedAt the beginning of the hold
     * @param writerOwner the owner id of the write lock that the holder's thread has beside this lease, or null
     */
    public HeldLease hold(
            Grant grant, LeaseTerms terms, long startedAt, @Nullable String writerOwner, LeaseKeeper keeper) {
        HeldLease lease = new HeldLease(grant, terms, startedAt, keeper, this);
        add(lease);
        addByKey(lease, writerOwner);
        return lease;
    }

    /**
     * Adds a new lease. Redis grants a key only if nobody has it, so of two leases that exclude each other, the newer grant shows that Redis has lost
     * the older one. Its holder is then notified at once instead of at its next renewal. The older one may be the added lease itself.
     */
    private void addByKey(HeldLease lease, @Nullable String writerOwner) {
        Held alone = new Held(lease, writerOwner, null);
        Held added =
                byKey.merge(lease.grant().key(), alone, (present, joining) -> new Held(lease, writerOwner, present));
        for (Held other = added.next; other != null; other = other.next) {
            if (added.excludes(other)) {
                Held older = added.isNewerThan(other) ? other : added;
                older.lease.gone();
            }
        }
        if (!lease.isLive()) {
            removeByKey(lease);
        }
    }

    private void removeByKey(HeldLease ended) {
        byKey.computeIfPresent(ended.grant().key(), (key, present) -> without(ended, present));
    }

    private static @Nullable Held without(HeldLease ended, Held first) {
        Held left = null;
        for (Held held = first; held != null; held = held.next) {
            if (held.lease != ended) {
                left = new Held(held.lease, held.writerOwner, left);
            }
        }
        return left;
    }

    /** Returns the grant of a lock that is held in this client now, or null. */
    public @Nullable Grant grantOf(LockId lock) {
        for (Held held = byKey.get(lock.key()); held != null; held = held.next) {
            if (held.lease.kind() == lock.kind() && held.lease.isHeld()) {
                return held.lease.grant();
            }
        }
        return null;
    }

    private void add(HeldLease lease) {
        rounds.compute(roundOf(lease), (period, round) -> {
            RenewalRound joined = round == null ? new RenewalRound(period) : round;
            joined.leases.add(lease);
            return joined;
        });
    }

    /** Schedules the work that a lease needs before its first regular round. Most leases need none. */
    void planEarly(HeldLease lease) {
        watchEnd(lease);
        if (lease.isRenewed() && lease.isLive() && isShort(lease)) {
            // Does not renew at once: most leases that were granted for a short time are released before they need a
            // renewal.
            granted.add(lease, lease.remainingNanos() / 6);
        }
    }

    /** Returns whether the lease may end before its first regular renewal. */
    private boolean isShort(HeldLease lease) {
        return lease.grant().validUntil() - ticker.now() < lease.renewalNanos() / 2;
    }

    /** Returns the key of a lease's round. Nearly all leases of a client share one round, so this is nearly always the same object. */
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
        removeByKey(lease);
        forgetEnd(lease);
        abandoned.remove(lease);
        completeIfDrained();
    }

    /** Returns a future that completes when nothing is held any more. Only for a client that grants no new leases. */
    public CompletableFuture<Void> drained() {
        draining = true;
        completeIfDrained();
        return drained;
    }

    private void completeIfDrained() {
        if (draining && rounds.values().stream().allMatch(round -> round.leases.isEmpty())) {
            drained.complete(null);
        }
    }

    public Stream<HeldLease> held() {
        return leases().filter(HeldLease::isHeld);
    }

    private Stream<HeldLease> leases() {
        return rounds.values().stream().flatMap(round -> round.leases.stream());
    }

    /** Watches the end of a lease that may end before the next round. A lease that is renewed in time is never watched. */
    void watchEnd(HeldLease lease) {
        long period = RenewalRound.periodFor(lease);
        long remaining = lease.remainingNanos();
        if (remaining < period + period / 2) {
            long end = ticker.now() + remaining;
            ends.compute(lease, (same, before) -> {
                if (before != null) {
                    before.cancel();
                }
                return timer.after(remaining, () -> endReached(lease, end));
            });
            if (!lease.isLive()) {
                // The lease ended, and was forgotten, before its end was watched.
                forgetEnd(lease);
            }
        }
    }

    private void forgetEnd(HeldLease lease) {
        Timer.Timeout watched = ends.remove(lease);
        if (watched != null) {
            watched.cancel();
        }
    }

    /** Called at the watched end of a lease. The lease may have been confirmed since the watch began. */
    private void endReached(HeldLease lease, long end) {
        pauses.rang(end);
        ends.remove(lease);
        lease.loseIfOver();
        if (lease.isLive()) {
            watchEnd(lease);
        }
    }

    /** Returns the longest time in which this process did not run since the lease was last confirmed. */
    long pauseSinceConfirmed(HeldLease lease) {
        long now = ticker.now();
        RenewalRound round = rounds.get(RenewalRound.periodFor(lease));
        // Includes a delay that is still going on: the holder may notice the end of the lease before the late round
        // runs.
        long late = Math.max(now - lease.grant().validUntil(), round == null ? 0 : now - round.dueAt);
        return Math.max(late, pauses.longestSince(lease.grant().confirmedAt()));
    }

    /** Returns how late the most overdue renewal is, or zero if no renewal is late. Ignores leases that are no longer renewed. */
    public Duration renewalLag() {
        return Duration.ofNanos(
                leases().filter(lease -> lease.isHeld() && lease.isRenewed() && !abandoned.contains(lease))
                        .mapToLong(this::lag)
                        .max()
                        .orElse(0));
    }

    /**
     * Returns how late the renewal of a lease is. A renewal is due after each third of the lease, and may take a third of that time for its round
     * trip.
     */
    private long lag(HeldLease lease) {
        long third = lease.renewalNanos() / 3;
        long overdue = ticker.now() - lease.grant().confirmedAt() - third;
        return overdue > third / 3 ? overdue : 0;
    }

    /** Sends renewals. Renewals of the same kind of lock are sent together. */
    void renew(List<HeldLease> due) {
        due.stream()
                .collect(Collectors.groupingBy(lease -> lease.keeper().renewals()))
                .forEach(Renewals::renew);
    }

    private boolean wantsRenewal(HeldLease lease) {
        return lease.isLive() && !isAbandoned(lease) && (lease.isRenewed() || assertsAll);
    }

    private boolean isAbandoned(HeldLease lease) {
        String dead = lease.terms().deadHolder();
        if (dead != null && abandoned.add(lease)) {
            events.abandoned(lease, dead);
        }
        return dead != null;
    }

    void confirmed() {
        counters.renewed.increment();
    }

    void failed(HeldLease lease, Throwable problem) {
        counters.notRenewed.increment();
        if (lease.isLive()) {
            events.renewalTrouble(lease, problem);
            RenewalRound round = rounds.get(roundOf(lease));
            if (round != null) {
                round.failed.add(lease, Math.max(SHORTEST_RETRY, lease.renewalNanos() / 60));
            }
        }
    }

    /**
     * Starts to assert all holds after a connection has ended, and when Redis grants nothing. Also renews leases of a given length, for what is left
     * of them.
     *
     * @param interruptions the number of connections that have ended
     * @param others asserts what this client knows besides its holds
     */
    public void assertHolds(Grace grace, LongSupplier interruptions, Runnable others) {
        assertsAll = true;
        assertOthers = others;
        grace.onClosed(() -> timer.after(0, this::assertAll));
        look(interruptions, interruptions.getAsLong());
    }

    private synchronized void look(LongSupplier interruptions, long before) {
        if (!closed) {
            nextLook = timer.after(BETWEEN_LOOKS, () -> {
                long now = interruptions.getAsLong();
                look(interruptions, now);
                if (now != before) {
                    assertAll();
                }
            });
        }
    }

    private void assertAll() {
        renew(held().filter(this::wantsRenewal).toList());
        assertOthers.run();
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (nextLook != null) {
            nextLook.cancel();
        }
        timer.close();
    }

    /**
     * Leases that are renewed after a short delay. One timer serves all of them, so an outage costs a batch of renewals from time to time and no
     * timer for each lease.
     *
     * <p>With a pause, many leases are renewed in {@value #SHARES} shares. When a server is back that was away for a while, it first has to execute
     * what it was sent before. Shares leave it the time, and drop the leases that it confirms meanwhile.
     */
    private final class DelayedRenewals {

        private static final int SHARES = 10;

        /** The smallest share of many leases, which is one script. */
        private static final int SMALLEST_SHARE = 100;

        private final ConcurrentLinkedQueue<HeldLease> leases = new ConcurrentLinkedQueue<>();
        private final AtomicBoolean planned = new AtomicBoolean();
        private final Predicate<HeldLease> due;
        private final long pause;
        /** The number of leases in each share, or 0 if the next share is the first one. Only used on the timer's thread. */
        private int share;

        /**
         * Creates a group without leases.
         *
         * @param due tests whether a lease still needs the renewal
         * @param pause the pause between two shares, or 0 to renew all leases at once
         */
        DelayedRenewals(Predicate<HeldLease> due, long pause) {
            this.due = due;
            this.pause = pause;
        }

        void add(HeldLease lease, long delay) {
            leases.add(lease);
            plan(delay);
        }

        private void plan(long delay) {
            if (planned.compareAndSet(false, true)) {
                timer.after(Math.min(LONGEST_RETRY, delay), this::renewNext);
            }
        }

        private void renewNext() {
            planned.set(false);
            if (share == 0) {
                share = pause == 0
                        ? Integer.MAX_VALUE
                        : Math.max(SMALLEST_SHARE, (leases.size() + SHARES - 1) / SHARES);
            }
            List<HeldLease> next = Stream.generate(leases::poll)
                    .takeWhile(Objects::nonNull)
                    .filter(HeldLease::isHeld)
                    .filter(due)
                    .limit(share)
                    .toList();
            if (leases.isEmpty()) {
                share = 0;
            } else {
                plan(pause);
            }
            renew(next);
        }
    }

    /** A group of leases of similar length, which are renewed together. */
    private final class RenewalRound implements Runnable {

        /**
         * The number of leading bits that are kept of a period. Lengths that differ by less than a sixteenth share a round, so there are at most a
         * few hundred rounds.
         */
        private static final int PRECISION = 5;

        final Set<HeldLease> leases = ConcurrentHashMap.newKeySet();
        /** The leases whose renewals have failed. */
        final DelayedRenewals failed;

        private final long period;
        volatile long dueAt;

        RenewalRound(long period) {
            this.period = period;
            this.failed = new DelayedRenewals(HeldLease::isUnconfirmed, Math.max(SHORTEST_RETRY, period / 60));
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
            // Schedules the next round first, so that it runs even if this one fails.
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

    /**
     * A lease on a key. Several leases have one key if they share it, or if Redis has lost the older one.
     *
     * @param writerOwner the owner id of the write lock that the same thread holds while it reads, or null
     * @param next another lease on the same key, or null
     */
    private record Held(
            HeldLease lease,
            @Nullable String writerOwner,
            @Nullable Held next) {

        /** Returns whether Redis can never have both leases at once. */
        boolean excludes(Held other) {
            return lease.grant() != other.lease.grant()
                    && !(isShared() && other.isShared())
                    && !isBeside(other)
                    && !other.isBeside(this);
        }

        private boolean isShared() {
            return !lease.kind().isExclusive();
        }

        private boolean isBeside(Held writer) {
            return writer.lease.grant().owner().equals(writerOwner);
        }

        boolean isNewerThan(Held other) {
            return lease.grant().lastToken() > other.lease.grant().lastToken();
        }
    }
}
