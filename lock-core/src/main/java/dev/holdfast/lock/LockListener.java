package dev.holdfast.lock;

/**
 * Hears what happens to the locks of a client. Called in order on a thread of the client's own: a listener that throws is logged, one that
 * blocks delays later events, and neither costs a lock. When 10,000 events wait, later ones are dropped, but never a loss.
 */
public interface LockListener {

    /**
     * Something happened: calls the method below that is for it. Whoever treats all events alike overrides this one alone.
     *
     * @param event what happened
     */
    default void onEvent(LockEvent event) {
        event.tell(this);
    }

    /**
     * A lease was acquired.
     *
     * @param event which, and how
     */
    default void onAcquired(LockEvent.Acquired event) {}

    /**
     * A lease was given back by its holder.
     *
     * @param event which, and how
     */
    default void onReleased(LockEvent.Released event) {}

    /**
     * A wait, or a try without one, ended and the lock was still busy.
     *
     * @param event for which lock
     */
    default void onTimedOut(LockEvent.TimedOut event) {}

    /**
     * A wait, or a try without one, ended and Redis could not be asked. Not told of waits that the client's closing ends.
     *
     * @param event for which lock, and why
     */
    default void onUnavailable(LockEvent.Unavailable event) {}

    /**
     * A lease ended before it was released.
     *
     * @param loss what was lost, and why
     */
    default void onLost(LeaseLoss loss) {}

    /**
     * A renewal failed and is being tried again; the lease is still valid.
     *
     * @param event which lease, and why
     */
    default void onRenewalTrouble(LockEvent.RenewalTrouble event) {}

    /**
     * An acquisition had no answer in time and is being taken back.
     *
     * @param event for which lock, and why
     */
    default void onTakenBack(LockEvent.TakenBack event) {}

    /**
     * A thread ended without unlocking. Its lease is renewed no longer and runs out.
     *
     * @param event which lease
     */
    default void onAbandoned(LockEvent.Abandoned event) {}

    /**
     * A lease has been held for longer than the client's threshold; never told where none is set.
     *
     * @param event which lease
     */
    default void onLongHold(LockEvent.LongHold event) {}
}
