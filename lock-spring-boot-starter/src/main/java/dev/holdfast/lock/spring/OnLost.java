package dev.holdfast.lock.spring;

/** What becomes of a call whose lease is lost while its body runs. It is logged and reported whichever is chosen. */
public enum OnLost {

    /** As the settings for all locks say; {@link #THROW} where they say nothing. */
    DEFAULT,

    /** Lets the body run on and return as if nothing had happened. */
    REPORT,

    /** Interrupts the thread that runs the body. */
    INTERRUPT,

    /** Lets the body run on, and throws {@link dev.holdfast.lock.LeaseLostException} when it returns. */
    THROW
}
