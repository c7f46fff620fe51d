package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The leases that may end before their next round, in the order of their ends. One timer serves all of them. A released lease leaves nothing behind.
 */
final class ExpiryTimer {

    private record End(long at, long number, HeldLease lease) {}

    /** Compares times by their difference, because a monotonic clock may overflow. */
    private static final Comparator<End> EARLIEST_FIRST =
            ((Comparator<End>) (one, other) -> Long.signum(one.at - other.at)).thenComparingLong(End::number);

    private final TreeSet<End> ends = new TreeSet<>(EARLIEST_FIRST);
    private final Map<HeldLease, End> byLease = new HashMap<>();
    private final Timer timer;
    private final Ticker ticker;
    private final PauseDetector pauses;
    private final Consumer<HeldLease> onEnd;
    private long lastNumber;
    private long timeoutAt;
    private Timer.@Nullable Timeout timeout;

    /** Creates a timer without leases. The callback receives each lease at its watched end. The lease's actual end may have moved since then. */
    ExpiryTimer(Timer timer, Ticker ticker, PauseDetector pauses, Consumer<HeldLease> onEnd) {
        this.timer = timer;
        this.ticker = ticker;
        this.pauses = pauses;
        this.onEnd = onEnd;
    }

    void watch(HeldLease lease, long at) {
        synchronized (this) {
            forget(lease);
            End end = new End(at, ++lastNumber, lease);
            ends.add(end);
            byLease.put(lease, end);
            arm();
        }
        if (!lease.isLive()) {
            // The lease ended, and was forgotten, before it was added.
            forget(lease);
        }
    }

    synchronized void forget(HeldLease lease) {
        End end = byLease.remove(lease);
        if (end != null) {
            // Keeps the timeout: one run without effect is cheaper than a new timeout for every release.
            ends.remove(end);
        }
    }

    private void arm() {
        if (ends.isEmpty()) {
            return;
        }
        long first = ends.first().at;
        if (timeout != null) {
            if (timeoutAt - first <= 0) {
                return;
            }
            timeout.cancel();
        }
        timeoutAt = first;
        timeout = timer.after(first - ticker.now(), this::ring);
    }

    private void ring() {
        for (HeldLease lease : over()) {
            onEnd.accept(lease);
        }
    }

    private synchronized List<HeldLease> over() {
        pauses.rang(timeoutAt);
        timeout = null;
        long now = ticker.now();
        List<HeldLease> over = new ArrayList<>();
        while (!ends.isEmpty() && ends.first().at - now <= 0) {
            HeldLease lease = ends.first().lease;
            forget(lease);
            over.add(lease);
        }
        arm();
        return over;
    }
}
