package dev.holdfast.lock.composite;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.thread.MemberLock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Predicate;

/** The locks of which a composite lock is made, its name, and the thread on which it takes its steps. Its acquisitions and leases share them. */
final class Members {

    final String name;
    final List<MemberLock> locks;
    final Background background;
    final CompositeExecutor steps;

    Members(String name, List<MemberLock> locks) {
        this.name = name;
        this.locks = locks;
        this.background = locks.get(0).background();
        this.steps = new CompositeExecutor(background.compositeSteps());
    }

    static MemberLock member(LeaseLock lock) {
        return MemberLock.of(lock, "a part of another lock");
    }

    MemberLock first() {
        return locks.get(0);
    }

    /** Returns how many members are a majority. */
    int majority() {
        return locks.size() / 2 + 1;
    }

    /** Returns how many members a majority can do without. */
    int spare() {
        return locks.size() - majority();
    }

    void tell(LockEvent event) {
        first().tell(event);
    }

    Executor callbacks() {
        return first().callbacks();
    }

    /**
     * Asks the given parts one after another, and returns whether at least the needed number said yes.
     *
     * @param all whether to ask all parts, or only until the remaining parts cannot change the result
     * @throws LockUnavailableException if the parts that did not answer could change the result
     */
    <P> boolean areEnough(List<P> parts, int needed, boolean all, Predicate<P> condition) {
        int yes = 0;
        int no = 0;
        int spare = parts.size() - needed;
        List<LockUnavailableException> silent = new ArrayList<>();
        for (P part : parts) {
            if (!all && (yes >= needed || no > spare)) {
                break;
            }
            try {
                if (condition.test(part)) {
                    yes++;
                } else {
                    no++;
                }
            } catch (LockUnavailableException down) {
                silent.add(down);
            }
        }
        if (yes >= needed || no > spare) {
            return yes >= needed;
        }
        LockUnavailableException whole = new LockUnavailableException(
                name,
                "Lock '" + LogText.escape(name) + "' is unavailable: only " + (yes + no) + " of its " + parts.size()
                        + " parts answered, " + needed + " are needed",
                silent.get(0));
        silent.stream().skip(1).forEach(whole::addSuppressed);
        throw whole;
    }
}
