package dev.holdfast.lock.spring;

/** What becomes of a call when Redis could not be asked, so that nobody knows whether the lock is free. */
public enum OnUnavailable {

    /** As the settings for all locks say; {@link #THROW} where they say nothing. */
    DEFAULT,

    /** Throws {@link dev.holdfast.lock.LockUnavailableException}. */
    THROW,

    /** Leaves the body out, as {@link OnBusy#SKIP} does. */
    SKIP,

    /** Runs the body without the lock. Only for work that may run twice. */
    PROCEED
}
