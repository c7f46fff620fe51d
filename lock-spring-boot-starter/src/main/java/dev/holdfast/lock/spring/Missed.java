package dev.holdfast.lock.spring;

/** What an instance that starts does about ticks that nobody has run before, where a method runs {@linkplain OncePerTick once per tick}. */
public enum Missed {

    /** Leaves them missed. The next run is that of the next tick. */
    SKIP,

    /**
     * Runs the method once for all of them, as the latest tick, if its record is there and no other instance does. {@link Tick#lastSucceeded()} says
     * from when on.
     */
    RUN_ONCE
}
