package dev.holdfast.lock.spring;

/** What to do when the lease is lost while the method runs. The loss is always logged and reported. */
public enum OnLost {

    /** Uses the setting for all locks; {@link #THROW} if there is none. */
    DEFAULT,

    /** Lets the method run to its end and returns its result. */
    REPORT,

    /**
     * Interrupts the thread that runs the method, and throws {@link dev.holdfast.lock.LeaseLostException} when the method ends. The caller's thread
     * does not keep that interrupt.
     */
    INTERRUPT,

    /** Lets the method run to its end, and throws {@link dev.holdfast.lock.LeaseLostException} then. */
    THROW
}
