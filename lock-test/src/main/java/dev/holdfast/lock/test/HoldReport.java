package dev.holdfast.lock.test;

import dev.holdfast.lock.HeldLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.WaitingLock;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Who holds what, and who waits for what, in words. */
final class HoldReport {

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

    /** What a test has left. */
    static List<String> left(LockClient app) {
        List<String> left = new ArrayList<>();
        app.heldLocks().forEach(held -> left.add("still held: " + described(held)));
        app.waitingLocks().forEach(waiting -> left.add("still waiting: " + described(waiting)));
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
