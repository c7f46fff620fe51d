package dev.holdfast.lock.spring;

/** What becomes of a call whose lock was still held by somebody else when the wait ended. */
public enum OnBusy {

    /** As the settings for all locks say; {@link #THROW} where they say nothing. */
    DEFAULT,

    /** Throws {@link dev.holdfast.lock.LockNotAcquiredException}. */
    THROW,

    /** Leaves the body out and returns empty-handed: nothing, an empty {@code Optional}, a completed stage, an empty collection. */
    SKIP
}
