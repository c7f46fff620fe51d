package dev.holdfast.lock.chaos;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * What a lock protects: it takes a write only with a token that is no smaller than any it has seen, as a fenced store does, and notes what
 * should not have happened. It stands beside Redis and behind no faulty network.
 */
final class Register {

    private static final long CONFIRMED_JUST_NOW = TimeUnit.MILLISECONDS.toNanos(20);

    private final String name;
    private final Set<Long> granted = ConcurrentHashMap.newKeySet();
    private final ConcurrentLinkedQueue<String> violations = new ConcurrentLinkedQueue<>();
    private final AtomicInteger writes = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    /** The highest token given out by each moment at which it grew. */
    private final ConcurrentSkipListMap<Long, Long> highestSince = new ConcurrentSkipListMap<>();

    private long highest;

    Register(String name) {
        this.name = name;
    }

    /**
     * What every token must exceed that is asked for from now on. Not what was given out just now: a client may pass on in memory what it
     * confirmed within that time.
     */
    long highestBefore() {
        Map.Entry<Long, Long> known = highestSince.floorEntry(System.nanoTime() - CONFIRMED_JUST_NOW);
        return known == null ? 0 : known.getValue();
    }

    /**
     * Somebody got the lock. Two holders with one token cannot be told apart by any fence.
     *
     * @param highestBefore as it was before that one asked
     */
    void granted(long token, long highestBefore) {
        if (!granted.add(token)) {
            violations.add(name + ": token " + token + " was given twice");
        }
        if (token <= highestBefore) {
            violations.add(
                    name + ": token " + token + " was given to one who asked after " + highestBefore + " was given");
        }
        synchronized (highestSince) {
            if (highestSince.isEmpty() || highestSince.lastEntry().getValue() < token) {
                highestSince.put(System.nanoTime(), token);
            }
        }
    }

    /**
     * A holder writes.
     *
     * @param stillHeld asked after a refusal: whoever is refused must know by then that it lost the lock
     */
    void write(long token, BooleanSupplier stillHeld) {
        synchronized (this) {
            if (token >= highest) {
                highest = token;
                writes.incrementAndGet();
                return;
            }
        }
        refused.incrementAndGet();
        if (stillHeld.getAsBoolean()) {
            violations.add(name + ": the holder of token " + token + " was overtaken and believes to hold the lock");
        }
    }

    String name() {
        return name;
    }

    ConcurrentLinkedQueue<String> violations() {
        return violations;
    }

    int grants() {
        return granted.size();
    }

    @Override
    public String toString() {
        return name + ": " + grants() + " grants, " + writes + " writes, " + refused + " refused";
    }
}
