package dev.holdfast.lock.chaos;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * What a lock protects: it takes a write only with a token that is no smaller than any it has seen, as a fenced store does, and notes what
 * should not have happened. It stands beside Redis and behind no faulty network.
 */
final class Register {

    private final String name;
    private final Set<Long> granted = ConcurrentHashMap.newKeySet();
    private final ConcurrentLinkedQueue<String> violations = new ConcurrentLinkedQueue<>();
    private final AtomicInteger writes = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private long highest;

    Register(String name) {
        this.name = name;
    }

    /** Two holders with one token cannot be told apart by any fence. */
    void granted(long token) {
        if (!granted.add(token)) {
            violations.add(name + ": token " + token + " was given twice");
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
