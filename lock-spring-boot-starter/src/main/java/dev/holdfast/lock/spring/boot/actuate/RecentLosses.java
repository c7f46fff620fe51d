package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LossCause;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;

/** The leases that were lost recently, except those that ended because the client closed. Thread-safe. */
public final class RecentLosses implements LockListener {

    private static final int MOST = 1000;

    private final Duration window;
    private final LongSupplier nanoTime;
    private final Deque<Noted> noted = new ArrayDeque<>();

    /**
     * Creates an empty instance.
     *
     * @param window time for which a loss is recent
     */
    public RecentLosses(Duration window) {
        this(window, System::nanoTime);
    }

    RecentLosses(Duration window, LongSupplier nanoTime) {
        this.window = window;
        this.nanoTime = nanoTime;
    }

    private record Noted(LeaseLoss loss, long when) {}

    @Override
    public synchronized void onLost(LeaseLoss loss) {
        if (loss.cause() == LossCause.CLOSED) {
            return;
        }
        noted.addLast(new Noted(loss, nanoTime.getAsLong()));
        if (noted.size() > MOST) {
            noted.removeFirst();
        }
    }

    /** Returns the losses of the window that ends now, the oldest first, at most the last thousand. */
    synchronized List<LeaseLoss> now() {
        long oldest = nanoTime.getAsLong() - window.toNanos();
        noted.removeIf(one -> one.when() - oldest < 0);
        return noted.stream().map(Noted::loss).toList();
    }
}
