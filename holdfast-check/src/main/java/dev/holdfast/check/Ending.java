package dev.holdfast.check;

/** The end of an attempt to acquire a lock, or of a hold. */
public enum Ending {
    /** The end is not known, because the process was killed or the run ended first. */
    UNKNOWN,
    /** Another holder had the lock until the wait ended. */
    BUSY,
    /** Redis did not answer. */
    UNAVAILABLE,
    /** The caller was interrupted or canceled the acquisition. */
    GIVEN_UP,
    /** The lock was released while it was held. */
    RELEASED,
    /** The library said, at the release or before, that the hold was over. */
    LOST,
    /** The release failed with another error. */
    FAILED
}
