package dev.holdfast.lock.internal.event;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** The counters of a client. Threads that count at the same time do not contend. */
public final class Counters {

    /** The things that are counted. */
    public enum Item {
        ACQUIRED,
        BUSY,
        UNAVAILABLE,
        NOT_YET,
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
