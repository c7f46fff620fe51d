package dev.holdfast.lock.internal.event;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.CallbackThreads;
import dev.holdfast.lock.internal.background.LockLog;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The pending events for a client's listeners. Each event goes, in order, to the listeners that were registered when it happened. If the listeners
 * are too slow, events are dropped, but never a loss, because there is at most one loss for each lease.
 */
final class ListenerQueue {

    static final int MOST_EVENTS_WAITING = 10_000;

    private static final LockLog LOG = LockLog.LOG;

    private final List<LockListener> listeners;
    private final Background background;
    private final Queue<Runnable> deliveries = new ConcurrentLinkedQueue<>();
    /** The number of deliveries that are queued or in progress. The call that adds the first one starts a thread, which makes them all. */
    private final AtomicInteger waiting = new AtomicInteger();

    private final AtomicLong dropped = new AtomicLong();

    /**
     * Creates an empty queue.
     *
     * @param listeners the client's listeners. The list may change at any time and must be thread-safe
     */
    ListenerQueue(List<LockListener> listeners, Background background) {
        this.listeners = listeners;
        this.background = background;
    }

    void add(LockEvent event) {
        List<LockListener> present = List.copyOf(listeners);
        if (present.isEmpty()) {
            return;
        }
        if (waiting.get() >= MOST_EVENTS_WAITING && !(event instanceof LeaseLoss)) {
            drop();
            return;
        }
        post(() -> present.forEach(listener -> CallbackThreads.run(() -> listener.onEvent(event))));
    }

    private void post(Runnable delivery) {
        deliveries.add(delivery);
        if (waiting.getAndIncrement() == 0) {
            background.work().execute(this::deliverAll);
        }
    }

    private void deliverAll() {
        do {
            Objects.requireNonNull(deliveries.poll()).run();
        } while (waiting.decrementAndGet() > 0);
        caughtUp();
    }

    /** Returns a future that completes when all events added so far have been delivered. */
    CompletableFuture<Void> delivered() {
        CompletableFuture<Void> delivered = new CompletableFuture<>();
        post(() -> {
            caughtUp();
            delivered.complete(null);
        });
        return delivered;
    }

    /** Waits until all events added so far have been delivered, for at most the given time. */
    void awaitDelivery(Duration limit) {
        try {
            background.get(delivered(), limit.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException slow) {
            // A listener that blocks must not keep its client from closing.
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

    private void caughtUp() {
        long missed = dropped.getAndSet(0);
        if (missed > 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Lock listeners have caught up: " + missed + " events were dropped, none of them a loss");
        }
    }
}
