package dev.holdfast.check;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Checks that the times in which holders believed to hold a lock do not overlap. Examines the grants once, in the order of time. */
final class HolderCheck {

    private static final class Lock {
        @Nullable
        Attempt lastWriter;

        @Nullable
        Attempt lastOfAll;
    }

    /** Two holders at the same time. */
    record Pair(String lock, Attempt earlier, Attempt later) {

        /** Returns whether both believed to hold the lock. */
        boolean isOverlap() {
            return earlier.heldAt > later.answeredAt;
        }

        /** Returns when the first of them ended. */
        long until() {
            return Math.min(earlier.heldAt, later.heldAt);
        }

        @Override
        public String toString() {
            return lock + ": " + later + " came in " + (earlier.heldAt - later.answeredAt) / 1_000
                    + " µs before the end of " + earlier + ", " + earlier.life();
        }
    }

    private final ToLongFunction<Attempt> end;
    private final Consumer<Pair> found;
    private final Map<String, Lock> locks = new HashMap<>();

    /** @param found receives each holder that came before the earlier one had last believed to hold the lock, with that one */
    HolderCheck(Consumer<Pair> found) {
        this(grant -> grant.heldAt, found);
    }

    /**
     * @param end the end of a holder's time
     * @param found receives each holder that came too early, with the one that it met
     */
    HolderCheck(ToLongFunction<Attempt> end, Consumer<Pair> found) {
        this.end = end;
        this.found = found;
    }

    void check(List<Attempt> byAnswer) {
        for (Attempt attempt : byAnswer) {
            if (attempt.wasHeld()) {
                attempt.locks.forEach(name -> check(name, attempt));
            }
        }
    }

    private void check(String name, Attempt attempt) {
        Lock lock = locks.computeIfAbsent(name, key -> new Lock());
        Attempt other = attempt.use.isShared() ? lock.lastWriter : lock.lastOfAll;
        if (other != null && attempt.answeredAt < end.applyAsLong(other)) {
            found.accept(new Pair(name, other, attempt));
        }
        if (!attempt.use.isShared()) {
            lock.lastWriter = later(lock.lastWriter, attempt);
        }
        lock.lastOfAll = later(lock.lastOfAll, attempt);
    }

    private Attempt later(@Nullable Attempt one, Attempt other) {
        return one == null || end.applyAsLong(other) > end.applyAsLong(one) ? other : one;
    }
}
