package dev.holdfast.lock.internal.waiting;

/** What a {@link WaitingRoom} is doing. */
enum Phase {
    /** Nobody waits. */
    IDLE,
    /** A request for the head is under way. */
    ASKING,
    /** A grant that was not made for the head is made long enough for it. */
    ADAPTING,
    /** One waiter has a lock that several may have. Requests for the others are under way, together. */
    ASKING_FOR_ALL,
    /** The head waits for a message or the alarm. */
    SLEEPING,
    /** A holder of this client has the lock and is about to release it. The room stays, even empty, until its alarm rings. */
    AWAITING_LOCAL_RELEASE,
    /** The room has ended. The next waiter opens another. */
    CLOSED;

    /** Whether an answer will come. Until then, nothing is asked, and messages and deadlines wait for it. */
    boolean isRequesting() {
        return this == ASKING || this == ADAPTING || this == ASKING_FOR_ALL;
    }
}
