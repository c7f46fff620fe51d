package dev.holdfast.lock.composite;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Counts the members' answers: yes, no, or none. */
final class Confirmations {

    private final int needed;
    private final int asked;
    private final List<LockUnavailableException> unknown = new ArrayList<>();
    private int yes;
    private int no;

    Confirmations(int needed, int asked) {
        this.needed = needed;
        this.asked = asked;
    }

    void count(BooleanSupplier answer) {
        try {
            if (answer.getAsBoolean()) {
                yes++;
            } else {
                no++;
            }
        } catch (LockUnavailableException down) {
            unknown.add(down);
        }
    }

    boolean areDecided() {
        return areEnough() || areInVain();
    }

    boolean areEnough() {
        return yes >= needed;
    }

    /** Whether so many said no that the silent ones cannot change the result. */
    boolean areInVain() {
        return no > asked - needed;
    }

    LockUnavailableException unavailable(String lockName) {
        LockUnavailableException whole = new LockUnavailableException(
                lockName,
                "Lock '" + LogText.escape(lockName) + "' is unavailable: only " + (yes + no) + " of its " + asked
                        + " parts answered, " + needed + " are needed",
                unknown.get(0));
        unknown.stream().skip(1).forEach(whole::addSuppressed);
        return whole;
    }
}
