package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.internal.log.LockLog;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The listeners of a client, called in order on a thread for foreign code. Each event goes to those that listened when it happened. Where they are
 * too slow, events are dropped, but never a loss: there is at most one for each lease that was held.
 */
final class ListenerQueue {

    static final int MOST_EVENTS_WAITING = 10_000;

    private static final LockLog LOG = LockLog.LOG;

    private record Told(LockEvent event, List<LockListener> listeners) {}

    private final List<LockListener> listeners;
    private final CallbackExecutor callbackExecutor;
    private final ConcurrentLinkedQueue<Told> events = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong dropped = new AtomicLong();

    /**
     * Creates the caller of listeners.
     *
     * @param listeners may change at any time; safe for several threads
     */
    ListenerQueue(List<LockListener> listeners, CallbackExecutor callbackExecutor) {
        this.listeners = listeners;
        this.callbackExecutor = callbackExecutor;
    }

    /** Nothing is made for nobody: an event costs its memory only where somebody listens. */
    boolean areNone() {
        return listeners.isEmpty();
    }

    void tell(LockEvent event) {
        List<LockListener> present = List.copyOf(listeners);
        if (present.isEmpty()) {
            return;
        }
        if (waiting.get() >= MOST_EVENTS_WAITING && !(event instanceof LeaseLoss)) {
            drop();
            return;
        }
        events.add(new Told(event, present));
        if (waiting.getAndIncrement() == 0) {
            callbackExecutor.onOwnThread(this::tellAll);
        }
    }

    private void drop() {
        if (dropped.getAndIncrement() == 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Lock listeners are " + MOST_EVENTS_WAITING
                            + " events behind: until they have caught up, events other" + " than losses are dropped");
        }
    }

    private void tellAll() {
        do {
            Told told = events.remove();
            told.listeners.forEach(listener -> callbackExecutor.run(() -> listener.onEvent(told.event)));
            if (waiting.get() == 1) {
                caughtUp();
            }
        } while (waiting.decrementAndGet() > 0);
    }

    private void caughtUp() {
        long missed = dropped.getAndSet(0);
        if (missed > 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Lock listeners have caught up: " + missed + " events were dropped, none of them a loss");
        }
    }
}
