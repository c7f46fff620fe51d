package dev.holdfast.lock.spring;

/**
 * What to do when Redis cannot be reached or does not answer, so that it is unknown whether the lock is free. A name that is held as another kind of
 * lock is a wrong declaration: the call throws {@link dev.holdfast.lock.WrongLockKindException}, whatever this policy says.
 */
public enum OnUnavailable {

    /** Throws {@link dev.holdfast.lock.LockUnavailableException}. */
    THROW,

    /** Skips the method, as {@link OnBusy#SKIP} does. */
    SKIP,

    /** Runs the method without the lock. Use it only for work that may run twice. */
    PROCEED
}
