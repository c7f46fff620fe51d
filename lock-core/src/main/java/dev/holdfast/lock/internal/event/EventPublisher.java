package dev.holdfast.lock.internal.event;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.LockLog;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Counts events, logs what an operator must know, and publishes every event to the listeners, in order. Callbacks of a lost lease do not wait behind
 * a listener that blocks.
 */
public final class EventPublisher implements AutoCloseable {

    private static final LockLog LOG = LockLog.LOG;

    private static final Duration LONGEST_FLUSH = Duration.ofSeconds(1);

    private final Background background;
    private final List<LockListener> registered;
    private final ListenerQueue listeners;
    private final Counters counters;
    private final LossLog losses;

    /**
     * Creates a publisher.
     *
     * @param listeners the client's listeners. The list may change at any time and must be thread-safe
     */
    public EventPublisher(List<LockListener> listeners, Counters counters, LossLog losses, Background background) {
        this.background = background;
        this.registered = listeners;
        this.listeners = new ListenerQueue(listeners, background);
        this.counters = counters;
        this.losses = losses;
    }

    /** Publishes an event. Never blocks and never throws. */
    public void tell(LockEvent event) {
        listeners.add(event);
    }

    /** Returns a future that completes when the listeners have received all events published so far. */
    public CompletableFuture<Void> delivered() {
        return listeners.delivered();
    }

    /** Publishes an event. Creates it only if there is a listener. */
    private void publish(Supplier<LockEvent> event) {
        if (!registered.isEmpty()) {
            listeners.add(event.get());
        }
    }

    /** Counts and publishes that a lease was acquired, either from Redis or from the previous holder in this client. */
    public void acquired(ReportedLease lease, long waitedNanos, boolean takenOver) {
        counters.acquired.increment();
        if (takenOver) {
            counters.handedOver.increment();
        }
        if (!registered.isEmpty()) {
            listeners.add(new LockEvent.Acquired(
                    lease.lockName(), lease.kind(), lease.fencingToken(), Duration.ofNanos(waitedNanos), takenOver));
        }
    }

    public void released(ReportedLease lease, boolean handedOver) {
        if (!registered.isEmpty()) {
            listeners.add(new LockEvent.Released(
                    lease.lockName(), lease.kind(), lease.fencingToken(), lease.held(), handedOver));
        }
    }

    /** Counts and publishes that a wait ended while the lock was busy. */
    public void timedOut(String lockName, LockKind kind, long waitedNanos) {
        counters.busy.increment();
        publish(() -> new LockEvent.TimedOut(lockName, kind, Duration.ofNanos(waitedNanos)));
    }

    /** Counts and publishes that a wait ended because Redis did not answer. */
    public void unavailable(String lockName, LockKind kind, long waitedNanos, Throwable problem) {
        counters.unavailable.increment();
        publish(() -> new LockEvent.Unavailable(lockName, kind, Duration.ofNanos(waitedNanos), problem));
    }

    /** Counts that a wait ended while Redis granted nothing after a loss of data. */
    public void notYet() {
        counters.notYet.increment();
    }

    /** Counts and publishes that an unanswered acquisition is taken back. */
    public void takenBack(String lockName, LockKind kind, String owner, Throwable problem) {
        counters.takenBack.increment();
        publish(() -> new LockEvent.TakenBack(lockName, kind, owner, problem));
    }

    public void renewalTrouble(ReportedLease lease, Throwable problem) {
        publish(() -> new LockEvent.RenewalTrouble(
                lease.lockName(), lease.kind(), lease.fencingToken(), lease.remaining(), problem));
    }

    public void lost(LeaseLoss loss, String owner) {
        counters.lost.increment();
        losses.write(loss, owner);
        tell(loss);
    }

    public void abandoned(ReportedLease lease, String thread) {
        AcquisitionSite site = lease.site();
        // Without message parameters, because a lock's name may contain braces.
        LOG.log(
                System.Logger.Level.WARNING,
                "Thread '" + LogText.escape(thread) + "' ended without unlocking lock '"
                        + LogText.escape(lease.lockName()) + "' (token " + lease.fencingToken() + ", owner "
                        + lease.owner() + "); its lease is no longer renewed, and ends in "
                        + LogText.time(lease.remaining()),
                site);
        publish(() -> new LockEvent.Abandoned(
                lease.lockName(), lease.kind(), lease.fencingToken(), thread, AcquisitionSite.calls(site)));
    }

    /** Waits until events and log lines are delivered, for at most one second each. */
    @Override
    public void close() {
        losses.writeCollected();
        listeners.awaitDelivery(LONGEST_FLUSH);
        background.flushLog(LONGEST_FLUSH);
    }
}
