package dev.holdfast.lock.internal.waiting;

/** The present activity of a {@link WaitingRoom}. */
enum Phase {
    /** Nobody waits. */
    IDLE,
    /** A request for the head is under way. */
    ASKING,
    /** One waiter has a lock that several may share. Requests for other waiters are under way at the same time. */
    ASKING_FOR_ALL,
    /** The head waits for a message or the alarm. */
    SLEEPING,
    /** A holder of this client has the lock and is about to release it. The room stays open, even without waiters, until its alarm rings. */
    AWAITING_LOCAL_RELEASE,
    /** The room has ended. The next waiter opens a new room. */
    CLOSED;

    /** Returns whether an answer is pending. Until it arrives, no request is sent, and messages and deadlines are not acted on. */
    boolean isRequesting() {
        return this == ASKING || this == ASKING_FOR_ALL;
    }
}
