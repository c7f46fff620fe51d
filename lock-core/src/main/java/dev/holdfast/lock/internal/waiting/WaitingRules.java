package dev.holdfast.lock.internal.waiting;

/**
 * How a room waits and passes on.
 *
 * @param pollNanos how long a head sleeps at the most before it asks again unbidden
 * @param handOffs how many times one grant is passed on between local holders at the most
 * @param handOffNanos for how long after its tokens were drawn it is passed on
 */
public record WaitingRules(long pollNanos, int handOffs, long handOffNanos) {

    /** How long a room keeps listening after its last waiter has left. */
    static final long LINGER_NANOS = 1_000_000_000L;
}
