package dev.holdfast.lock;

/**
 * Receives the events of a client's locks, in order, on one of the client's threads. An exception that a listener throws is logged. A listener that
 * blocks delays later events but no lock. While 10,000 events are pending, later events are dropped, except losses.
 */
public interface LockListener {

    /** Receives every event. Calls the method below for the event's kind. To treat all events alike, override only this method. */
    default void onEvent(LockEvent event) {
        event.tell(this);
    }

    /** Called when a lease was acquired. */
    default void onAcquired(LockEvent.Acquired event) {}

    /** Called when a lease was released by its holder. */
    default void onReleased(LockEvent.Released event) {}

    /** Called when a wait, or a try without a wait, ended while the lock was busy. */
    default void onTimedOut(LockEvent.TimedOut event) {}

    /**
     * Called when a wait, or a try without a wait, ended because Redis did not answer. Not called for a wait that ends because the client is closed.
     */
    default void onUnavailable(LockEvent.Unavailable event) {}

    /** Called when a lease ended before it was released. */
    default void onLost(LeaseLoss loss) {}

    /** Called when a renewal failed and is being repeated. The lease is still valid. */
    default void onRenewalTrouble(LockEvent.RenewalTrouble event) {}

    /** Called when an acquisition was not answered in time and is being taken back. */
    default void onTakenBack(LockEvent.TakenBack event) {}

    /** Called when a thread ended without unlocking. The thread's lease is no longer renewed and runs out. */
    default void onAbandoned(LockEvent.Abandoned event) {}
}
