package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.event.Counters;
import dev.holdfast.lock.internal.event.EventPublisher;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps all leases of a client. The {@link RenewalSchedule} renews each renewed lease after a third of its length, and ends every lease when its
 * validity ends. The watchdog also reports each lease that is held for longer than a threshold, once.
 */
public final class Watchdog implements AutoCloseable {

    private static final long MOST_BETWEEN_SEARCHES = TimeUnit.SECONDS.toNanos(5);
    private static final long LEAST_BETWEEN_SEARCHES = TimeUnit.MILLISECONDS.toNanos(10);

    private final RenewalSchedule schedule;
    private final Timer timer;
    private final EventPublisher events;
    private Timer.@Nullable Timeout nextSearch;
    private boolean closed;

    public Watchdog(Timer timer, EventPublisher events, Counters counters, Ticker ticker) {
        this.timer = timer;
        this.events = events;
        this.schedule = new RenewalSchedule(timer, ticker, events, counters);
    }

    /**
     * Creates a holder's lease on a grant and keeps it from now on. The caller then calls {@link HeldLease#begun()}.
     *
     * @param grant a grant without a present holder
     * @param startedAt the beginning of the hold
     */
    public HeldLease hold(Grant grant, LeaseTerms terms, long startedAt, LeaseKeeper keeper) {
        HeldLease lease = new HeldLease(grant, terms, startedAt, keeper, schedule);
        schedule.add(lease);
        return lease;
    }

    /** Returns a future that completes when nothing is held any more. Only for a client that grants no new leases. */
    public CompletableFuture<Void> drained() {
        return schedule.drained();
    }

    public Stream<HeldLease> held() {
        return schedule.leases().filter(HeldLease::isHeld);
    }

    /** Returns how late the most overdue renewal is, or zero if no renewal is late. Ignores leases that are no longer renewed. */
    public Duration renewalLag() {
        return Duration.ofNanos(schedule.lag());
    }

    /** Starts to report each lease that is held for longer than the threshold. */
    public synchronized void reportLongHolds(long thresholdNanos) {
        if (!closed) {
            long pause = Math.max(LEAST_BETWEEN_SEARCHES, Math.min(MOST_BETWEEN_SEARCHES, thresholdNanos / 4));
            nextSearch = timer.after(pause, () -> searchLongHolds(thresholdNanos));
        }
    }

    private void searchLongHolds(long thresholdNanos) {
        reportLongHolds(thresholdNanos);
        held().filter(lease -> !lease.longHoldReported && lease.held().toNanos() >= thresholdNanos)
                .forEach(lease -> {
                    lease.longHoldReported = true;
                    events.heldLong(lease);
                });
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (nextSearch != null) {
            nextSearch.cancel();
        }
        timer.close();
    }
}
