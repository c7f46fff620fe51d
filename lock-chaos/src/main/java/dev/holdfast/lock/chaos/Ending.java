package dev.holdfast.lock.chaos;

/** How an attempt to acquire a lock, or a hold, ended. */
enum Ending {
    /** No word of it: its process was killed, or the run ended first. */
    UNKNOWN,
    /** Somebody else had the lock to the end of the wait. */
    BUSY,
    /** Redis did not answer. */
    UNAVAILABLE,
    /** The caller was interrupted or canceled the acquisition. */
    GIVEN_UP,
    /** Released while it was held. */
    RELEASED,
    /** The library said at the release, or before, that the hold was over. */
    LOST,
    /** The release failed with another error. */
    FAILED
}
