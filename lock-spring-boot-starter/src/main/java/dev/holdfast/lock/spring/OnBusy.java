package dev.holdfast.lock.spring;

/** What to do when the lock cannot be acquired within the wait time. */
public enum OnBusy {

    /** Throws {@link dev.holdfast.lock.LockNotAcquiredException}. */
    THROW,

    /** Skips the method and returns an empty value: null, an empty {@code Optional}, a completed stage, an empty collection. */
    SKIP
}
