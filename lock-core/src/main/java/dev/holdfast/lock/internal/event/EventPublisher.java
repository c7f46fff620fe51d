package dev.holdfast.lock.internal.event;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.LockLog;
import dev.holdfast.lock.internal.event.Counters.Item;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts what happens, logs what an operator must know, and publishes every event to the listeners, in order. The callbacks of a lost lease do not
 * queue behind a listener that blocks.
 */
public final class EventPublisher implements AutoCloseable {

    private static final LockLog LOG = LockLog.LOG;

    private static final Duration LONGEST_FLUSH = Duration.ofSeconds(1);

    private final Background background;
    private final ListenerQueue listeners;
    private final Counters counters;
    private final LossLog losses;
    private final Executor callbacks;

    /**
     * Creates a publisher.
     *
     * @param listeners may change at any time; must be thread-safe
     * @param callbacks runs callers' code
     */
    public EventPublisher(
            List<LockListener> listeners,
            Counters counters,
            LossLog losses,
            Executor callbacks,
            Background background) {
        this.background = background;
        this.listeners = new ListenerQueue(listeners, background);
        this.counters = counters;
        this.losses = losses;
        this.callbacks = callbacks;
    }

    /** Publishes an event. Never blocks and never throws. */
    public void tell(LockEvent event) {
        listeners.add(event);
    }

    /** Completes when all events until now have reached the listeners. */
    public CompletableFuture<Void> delivered() {
        return listeners.delivered();
    }

    /** Creates the event only if there is a listener. */
    private void publish(Supplier<LockEvent> event) {
        if (!listeners.areNone()) {
            listeners.add(event.get());
        }
    }

    /** A lease was acquired, from Redis or from the last holder in this client. */
    public void acquired(ReportedLease lease, long waitedNanos, boolean takenOver) {
        counters.count(Item.ACQUIRED);
        if (takenOver) {
            counters.count(Item.HAND_OVER);
        }
        if (!listeners.areNone()) {
            listeners.add(new LockEvent.Acquired(
                    lease.lockName(), lease.kind(), lease.fencingToken(), Duration.ofNanos(waitedNanos), takenOver));
        }
    }

    public void released(ReportedLease lease, boolean handedOver) {
        if (!listeners.areNone()) {
            listeners.add(new LockEvent.Released(
                    lease.lockName(), lease.kind(), lease.fencingToken(), lease.held(), handedOver));
        }
    }

    /** A wait ended and the lock was still busy. */
    public void timedOut(String lockName, LockKind kind, long waitedNanos) {
        counters.count(Item.BUSY);
        publish(() -> new LockEvent.TimedOut(lockName, kind, Duration.ofNanos(waitedNanos)));
    }

    /** A wait ended and Redis did not answer. */
    public void unavailable(String lockName, LockKind kind, long waitedNanos, Throwable problem) {
        counters.count(Item.UNAVAILABLE);
        publish(() -> new LockEvent.Unavailable(lockName, kind, Duration.ofNanos(waitedNanos), problem));
    }

    /** An acquisition without an answer is taken back. */
    public void takenBack(String lockName, LockKind kind, String owner, Throwable problem) {
        counters.count(Item.TAKE_BACK);
        publish(() -> new LockEvent.TakenBack(lockName, kind, owner, problem));
    }

    public void renewalTrouble(ReportedLease lease, Throwable problem) {
        publish(() -> new LockEvent.RenewalTrouble(
                lease.lockName(), lease.kind(), lease.fencingToken(), lease.remaining(), problem));
    }

    /** Runs callers' code, one task never behind another. */
    public Executor callbacks() {
        return callbacks;
    }

    public void lost(LeaseLoss loss, String owner) {
        counters.count(Item.LOST);
        losses.write(loss, owner);
        tell(loss);
    }

    public void abandoned(ReportedLease lease, String thread) {
        AcquisitionSite site = lease.site();
        warn(
                "Thread '" + LogText.escape(thread) + "' ended without unlocking " + described(lease)
                        + "; the lease is renewed no longer and runs out in " + LogText.time(lease.remaining()),
                site);
        publish(() -> new LockEvent.Abandoned(
                lease.lockName(), lease.kind(), lease.fencingToken(), thread, AcquisitionSite.calls(site)));
    }

    public void heldLong(ReportedLease lease) {
        String thread = lease.thread().getName();
        AcquisitionSite site = lease.site();
        Duration held = lease.held();
        warn(
                "Thread '" + LogText.escape(thread) + "' has held " + described(lease) + " for " + LogText.time(held),
                site);
        publish(() -> new LockEvent.LongHold(
                lease.lockName(), lease.kind(), lease.fencingToken(), held, thread, AcquisitionSite.calls(site)));
    }

    private static String described(ReportedLease lease) {
        return "lock '" + LogText.escape(lease.lockName()) + "' (token " + lease.fencingToken() + ", owner "
                + lease.owner() + ")";
    }

    /** As a plain message: a lock's name may have braces. */
    private static void warn(String message, @Nullable Throwable site) {
        LOG.log(System.Logger.Level.WARNING, message, site);
    }

    /** Waits until events and log lines are delivered, for a second each. */
    @Override
    public void close() {
        losses.writeCollected();
        listeners.awaitDelivery(LONGEST_FLUSH);
        background.flushLog(LONGEST_FLUSH);
    }
}
