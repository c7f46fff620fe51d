package dev.holdfast.lock.composite;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

/** Counts the parts' answers: yes, no, or none. */
final class Confirmations {

    private final int needed;
    private final int asked;
    private final List<LockUnavailableException> unknown = new ArrayList<>();
    private int yes;
    private int no;

    private Confirmations(int needed, int asked) {
        this.needed = needed;
        this.asked = asked;
    }

    static <P> Confirmations ofAll(Collection<P> parts, int needed, Predicate<P> question) {
        Confirmations confirmations = new Confirmations(needed, parts.size());
        parts.forEach(part -> confirmations.ask(part, question));
        return confirmations;
    }

    /** Asks one after another, until the rest cannot change the result. */
    static <P> Confirmations untilDecided(Collection<P> parts, int needed, Predicate<P> question) {
        Confirmations confirmations = new Confirmations(needed, parts.size());
        for (P part : parts) {
            if (!confirmations.areDecided()) {
                confirmations.ask(part, question);
            }
        }
        return confirmations;
    }

    private <P> void ask(P part, Predicate<P> question) {
        try {
            if (question.test(part)) {
                yes++;
            } else {
                no++;
            }
        } catch (LockUnavailableException down) {
            unknown.add(down);
        }
    }

    private boolean areDecided() {
        return yes >= needed || no > asked - needed;
    }

    /** Whether enough parts said yes. Throws if the silent ones could change the result. */
    boolean areEnough(String lockName) {
        if (areDecided()) {
            return yes >= needed;
        }
        LockUnavailableException whole = new LockUnavailableException(
                lockName,
                "Lock '" + LogText.escape(lockName) + "' is unavailable: only " + (yes + no) + " of its " + asked
                        + " parts answered, " + needed + " are needed",
                unknown.get(0));
        unknown.stream().skip(1).forEach(whole::addSuppressed);
        throw whole;
    }
}
