package dev.holdfast.lock.internal.waiting;

/** The waiters for one lock: a lone one, or a room for several. */
sealed interface RoomEntry permits LoneWaiter, WaitingRoom {

    /** How many there are. */
    int visitors();
}
