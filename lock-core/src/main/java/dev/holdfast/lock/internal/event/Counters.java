package dev.holdfast.lock.internal.event;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counts what happens in a client, without contention between threads. */
public final class Counters {

    /** What is counted. */
    public enum Item {
        ACQUIRED,
        BUSY,
        UNAVAILABLE,
        LOST,
        HAND_OVER,
        WAKE_UP_BY_SIGNAL,
        WAKE_UP_BY_POLL,
        TAKE_BACK,
        RENEWAL,
        RENEWAL_FAILURE
    }

    private final Map<Item, LongAdder> counts = new EnumMap<>(Item.class);

    public Counters() {
        for (Item item : Item.values()) {
            counts.put(item, new LongAdder());
        }
    }

    public void count(Item item) {
        adder(item).increment();
    }

    public long of(Item item) {
        return adder(item).sum();
    }

    private LongAdder adder(Item item) {
        return Objects.requireNonNull(counts.get(item));
    }
}
