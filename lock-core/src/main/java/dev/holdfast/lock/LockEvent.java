package dev.holdfast.lock;

import java.time.Duration;
import java.util.List;

/** An event of a client's lock. {@link LockListener} has a method for each kind of event. */
public sealed interface LockEvent
        permits LockEvent.Acquired,
                LockEvent.Released,
                LockEvent.TimedOut,
                LockEvent.Unavailable,
                LockEvent.RenewalTrouble,
                LockEvent.TakenBack,
                LockEvent.Abandoned,
                LockEvent.LongHold,
                LeaseLoss {

    /** The lock's name, without the client's prefix. */
    String lockName();

    /** The lock's kind. */
    LockKind kind();

    /** Calls the listener's method for this event. */
    void tell(LockListener listener);

    /**
     * A lease was acquired.
     *
     * @param waited how long the caller waited
     * @param takenOver whether another holder of this client handed it over, without a new grant from Redis
     */
    record Acquired(String lockName, LockKind kind, long fencingToken, Duration waited, boolean takenOver)
            implements LockEvent {

        @Override
        public void tell(LockListener listener) {
            listener.onAcquired(this);
        }
    }

    /**
     * A lease was released by its holder.
     *
     * @param held how long it was held
     * @param handedOver whether the next waiter of this client got it; Redis does not see that change
     */
    record Released(String lockName, LockKind kind, long fencingToken, Duration held, boolean handedOver)
            implements LockEvent {

        @Override
        public void tell(LockListener listener) {
            listener.onReleased(this);
        }
    }

    /**
     * A wait, or a try without one, ended and the lock was still busy.
     *
     * @param waited how long
     */
    record TimedOut(String lockName, LockKind kind, Duration waited) implements LockEvent {

        @Override
        public void tell(LockListener listener) {
            listener.onTimedOut(this);
        }
    }

    /**
     * A wait, or a try without one, ended and Redis did not answer.
     *
     * @param waited how long
     * @param problem what went wrong
     */
    record Unavailable(String lockName, LockKind kind, Duration waited, Throwable problem) implements LockEvent {

        @Override
        public void tell(LockListener listener) {
            listener.onUnavailable(this);
        }
    }

    /**
     * A renewal failed and is being tried again; the lease is still valid.
     *
     * @param remaining how long the lease stays valid if no further try succeeds
     * @param problem what went wrong
     */
    record RenewalTrouble(String lockName, LockKind kind, long fencingToken, Duration remaining, Throwable problem)
            implements LockEvent {

        @Override
        public void tell(LockListener listener) {
            listener.onRenewalTrouble(this);
        }
    }

    /**
     * An acquisition had no answer in time, so its outcome is unknown: it is being taken back.
     *
     * @param owner the owner's id in Redis, if it succeeded
     * @param problem why there was no answer
     */
    record TakenBack(String lockName, LockKind kind, String owner, Throwable problem) implements LockEvent {

        @Override
        public void tell(LockListener listener) {
            listener.onTakenBack(this);
        }
    }

    /**
     * A thread ended without unlocking. Its lease is renewed no longer and runs out.
     *
     * @param thread the name of the thread that ended
     * @param acquiredAt where it acquired the lock, innermost call first; empty unless the client records that
     */
    record Abandoned(
            String lockName, LockKind kind, long fencingToken, String thread, List<StackTraceElement> acquiredAt)
            implements LockEvent {

        /** Keeps its own copy of the list. */
        public Abandoned {
            acquiredAt = List.copyOf(acquiredAt);
        }

        @Override
        public void tell(LockListener listener) {
            listener.onAbandoned(this);
        }
    }

    /**
     * A lease has been held for longer than the client's threshold, and still is. Published once for each lease.
     *
     * @param held how long so far
     * @param thread the name of the thread that acquired it
     * @param acquiredAt where it was acquired, innermost call first; empty unless the client records that
     */
    record LongHold(
            String lockName,
            LockKind kind,
            long fencingToken,
            Duration held,
            String thread,
            List<StackTraceElement> acquiredAt)
            implements LockEvent {

        /** Keeps its own copy of the list. */
        public LongHold {
            acquiredAt = List.copyOf(acquiredAt);
        }

        @Override
        public void tell(LockListener listener) {
            listener.onLongHold(this);
        }
    }
}
