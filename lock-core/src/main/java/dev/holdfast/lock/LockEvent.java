package dev.holdfast.lock;

import java.time.Duration;
import java.util.List;

/** An event of a lock of this client. {@link LockListener} has a method for each kind of event. */
public sealed interface LockEvent
        permits LockEvent.Acquired,
                LockEvent.Released,
                LockEvent.TimedOut,
                LockEvent.Unavailable,
                LockEvent.RenewalTrouble,
                LockEvent.TakenBack,
                LockEvent.Abandoned,
                LeaseLoss {

    /** Returns the lock's name, without the client's prefix. */
    String lockName();

    /** Returns the lock's kind. */
    LockKind kind();

    /** Calls the listener's method for this kind of event. */
    void tell(LockListener listener);

    /**
     * A lease was acquired.
     *
     * @param waited how long the caller waited
     * @param takenOver whether another holder of this client handed the lock over, without a new grant from Redis
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
     * @param held how long the lease was held
     * @param handedOver whether the lock was handed over to the next waiter of this client; Redis does not see a hand-over
     */
    record Released(String lockName, LockKind kind, long fencingToken, Duration held, boolean handedOver)
            implements LockEvent {

        @Override
        public void tell(LockListener listener) {
            listener.onReleased(this);
        }
    }

    /**
     * A wait, or a try without a wait, ended while the lock was busy.
     *
     * @param waited how long the caller waited
     */
    record TimedOut(String lockName, LockKind kind, Duration waited) implements LockEvent {

        @Override
        public void tell(LockListener listener) {
            listener.onTimedOut(this);
        }
    }

    /**
     * A wait, or a try without a wait, ended because Redis did not answer.
     *
     * @param waited how long the caller waited
     * @param problem what went wrong
     */
    record Unavailable(String lockName, LockKind kind, Duration waited, Throwable problem) implements LockEvent {

        @Override
        public void tell(LockListener listener) {
            listener.onUnavailable(this);
        }
    }

    /**
     * A renewal failed and is being repeated. The lease is still valid.
     *
     * @param remaining how long the lease stays valid if no further renewal succeeds
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
     * An acquisition was not answered in time, so its outcome is unknown. In case Redis granted the lock, the grant is being taken back.
     *
     * @param owner the owner id that the lock has in Redis if the acquisition succeeded
     * @param problem why there was no answer
     */
    record TakenBack(String lockName, LockKind kind, String owner, Throwable problem) implements LockEvent {

        @Override
        public void tell(LockListener listener) {
            listener.onTakenBack(this);
        }
    }

    /**
     * A thread ended without unlocking. The thread's lease is no longer renewed and runs out.
     *
     * @param thread the name of the thread that ended
     * @param acquiredAt the stack trace of the acquisition, innermost call first; empty unless the client records stack traces
     */
    record Abandoned(
            String lockName, LockKind kind, long fencingToken, String thread, List<StackTraceElement> acquiredAt)
            implements LockEvent {

        /** Creates an event with its own copy of the list. */
        public Abandoned {
            acquiredAt = List.copyOf(acquiredAt);
        }

        @Override
        public void tell(LockListener listener) {
            listener.onAbandoned(this);
        }
    }
}
