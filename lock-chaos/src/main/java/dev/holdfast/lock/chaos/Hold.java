package dev.holdfast.lock.chaos;

/** A lock that a worker acquired. */
interface Hold {

    long token();

    /** What the library says. */
    boolean isHeld();

    /** {@link Ending#RELEASED}, {@link Ending#LOST} or {@link Ending#FAILED}. */
    Ending release();
}
