package dev.holdfast.lock.chaos;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks that the times in which holders believed to hold a lock do not overlap. Examines the grants once, in the order of time. */
final class HolderCheck {

    private static final class Lock {
        @Nullable
        Attempt lastWriter;

        @Nullable
        Attempt lastOfAll;
    }

    private final Findings findings;
    private final Map<String, Lock> locks = new HashMap<>();

    HolderCheck(Findings findings) {
        this.findings = findings;
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
        if (other != null && attempt.answeredAt < other.heldAt) {
            findings.broken(
                    Rule.ONE_HOLDER,
                    name + ": " + attempt + " came in " + (other.heldAt - attempt.answeredAt) / 1_000
                            + " µs before the end of " + other + ", " + other.life());
        }
        if (!attempt.use.isShared()) {
            lock.lastWriter = later(lock.lastWriter, attempt);
        }
        lock.lastOfAll = later(lock.lastOfAll, attempt);
    }

    private static Attempt later(@Nullable Attempt one, Attempt other) {
        return one == null || other.heldAt > one.heldAt ? other : one;
    }
}
