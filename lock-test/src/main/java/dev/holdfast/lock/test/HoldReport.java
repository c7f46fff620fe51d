package dev.holdfast.lock.test;

import dev.holdfast.lock.HeldLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.WaitingLock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** Describes which locks are held and which callers wait. */
final class HoldReport {

    /** The number of checks. A check takes a millisecond or more. */
    private static final int LOOKS = 500;

    private HoldReport() {}

    static String of(LockClient app, LockClient elsewhere) {
        List<String> lines = new ArrayList<>();
        app.waitingLocks().forEach(waiting -> lines.add(described(waiting)));
        app.heldLocks().forEach(held -> lines.add(described(held)));
        elsewhere
                .heldLocks()
                .forEach(held -> lines.add("another instance holds '" + held.lockName() + "' (" + held.kind() + ")"));
        return lines.isEmpty() ? "Nobody holds a lock" : String.join("; ", lines);
    }

    /** Returns descriptions of the locks and waits that a test has left. */
    static List<String> left(LockClient app) {
        List<String> left = new ArrayList<>();
        app.heldLocks().stream()
                .filter(held -> !RunsBesideTests.contain(held.acquiredAt()))
                .forEach(held -> left.add("still held: " + described(held)));
        app.waitingLocks().stream()
                .filter(waiting -> !RunsBesideTests.contain(waiting))
                .forEach(waiting -> left.add("still waiting: " + described(waiting)));
        return left;
    }

    /**
     * Does the same as {@link #left}, after giving other threads some time to finish. Does not wait if the current thread holds a lock, because this
     * thread cannot release the lock meanwhile.
     */
    static List<String> leftForGood(LockClient app) {
        String here = Thread.currentThread().getName();
        List<String> left = left(app);
        for (int looks = 0; looks < LOOKS && !left.isEmpty(); looks++) {
            if (app.heldLocks().stream().anyMatch(held -> held.thread().equals(here))) {
                return left;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            left = left(app);
        }
        return left;
    }

    private static String described(WaitingLock waiting) {
        return "thread '" + waiting.thread() + "' waits for '" + waiting.lockName() + "' (" + waiting.kind() + ")";
    }

    private static String described(HeldLock held) {
        String site = held.acquiredAt().stream().map(frame -> "\n\tat " + frame).collect(Collectors.joining());
        return "thread '" + held.thread() + "' holds '" + held.lockName() + "' (" + held.kind() + ", token "
                + held.fencingToken() + ")" + (site.isEmpty() ? "" : ", acquired" + site + "\n");
    }
}
