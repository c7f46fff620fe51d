package dev.holdfast.lock.internal.lease;

import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** Counts what happens in a client, without contention between threads. */
public final class Counters {

    /** What is counted. */
    public enum Item {
        ACQUIRED,
        BUSY,
        UNAVAILABLE,
        LOST,
        HAND_OFF,
        WAKE_UP_BY_SIGNAL,
        WAKE_UP_BY_POLL,
        TAKE_BACK,
        RENEWAL,
        RENEWAL_FAILURE
    }

    private final LongAdder[] counts =
            Stream.generate(LongAdder::new).limit(Item.values().length).toArray(LongAdder[]::new);

    public void count(Item item) {
        counts[item.ordinal()].increment();
    }

    public long of(Item item) {
        return counts[item.ordinal()].sum();
    }
}
