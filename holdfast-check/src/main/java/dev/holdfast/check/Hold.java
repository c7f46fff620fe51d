package dev.holdfast.check;

/** A lock that a worker acquired. */
interface Hold {

    long token();

    /** Returns whether the library says that the lock is held. */
    boolean isHeld();

    /** Releases the lock. Returns {@link Ending#RELEASED}, {@link Ending#LOST} or {@link Ending#FAILED}. */
    Ending release();
}
