package dev.holdfast.lock.spring;

/** What to do when the lease is lost while the method runs. The loss is always logged and reported. */
public enum OnLost {

    /** Lets the method run to its end and returns its result. */
    REPORT,

    /**
     * Interrupts the thread that runs the method, and throws {@link dev.holdfast.lock.LeaseLostException} when the method ends. This interrupt does
     * not stay set on the caller's thread.
     */
    INTERRUPT,

    /** Lets the method run to its end, and then throws {@link dev.holdfast.lock.LeaseLostException}. */
    THROW
}
