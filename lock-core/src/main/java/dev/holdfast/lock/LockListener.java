package dev.holdfast.lock;

/**
 * Receives the events of a client's locks, in order, on one of the client's threads. What a listener throws is logged. A listener that blocks delays
 * later events, but no lock. When 10,000 events wait, later ones are dropped, except losses.
 */
public interface LockListener {

    /** Receives every event and calls the method below for its kind. Override only this one to treat all events alike. */
    default void onEvent(LockEvent event) {
        event.tell(this);
    }

    /** A lease was acquired. */
    default void onAcquired(LockEvent.Acquired event) {}

    /** A lease was released by its holder. */
    default void onReleased(LockEvent.Released event) {}

    /** A wait, or a try without one, ended and the lock was still busy. */
    default void onTimedOut(LockEvent.TimedOut event) {}

    /** A wait, or a try without one, ended and Redis did not answer. Not called for waits that end because the client is closed. */
    default void onUnavailable(LockEvent.Unavailable event) {}

    /** A lease ended before it was released. */
    default void onLost(LeaseLoss loss) {}

    /** A renewal failed and is being tried again; the lease is still valid. */
    default void onRenewalTrouble(LockEvent.RenewalTrouble event) {}

    /** An acquisition had no answer in time and is being taken back. */
    default void onTakenBack(LockEvent.TakenBack event) {}

    /** A thread ended without unlocking. Its lease is renewed no longer and runs out. */
    default void onAbandoned(LockEvent.Abandoned event) {}

    /** A lease has been held for longer than the client's threshold. Not called if none is set. */
    default void onLongHold(LockEvent.LongHold event) {}
}
