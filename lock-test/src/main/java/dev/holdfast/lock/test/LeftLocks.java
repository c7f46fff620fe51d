package dev.holdfast.lock.test;

import dev.holdfast.lock.HeldLock;
import java.util.List;

/** Thrown if a test left a lock held or a thread waiting, or waited for something that could never happen. */
public final class LeftLocks extends AssertionError {

    private static final long serialVersionUID = 1L;

    private LeftLocks(List<String> left, String history) {
        super("The test has left locks behind:\n- " + String.join("\n- ", left) + "\nWhat happened:\n" + history);
    }

    /**
     * Releases the locks and ends the waits that a test left, and fails if there were any. The stack traces of the acquisitions are suppressed
     * exceptions of the error.
     *
     * @param locks the client that the test used
     * @throws LeftLocks if a lock is held, a thread waits, or a wait would never have ended
     */
    public static void check(InMemoryLockClient locks) {
        List<HeldLock> held = locks.heldLocks().stream()
                .filter(lock -> !RunsBesideTests.contain(lock.acquiredAt()))
                .toList();
        String history = locks.history().toString();
        List<String> left = locks.reset();
        if (left.isEmpty()) {
            return;
        }
        LeftLocks error = new LeftLocks(left, history);
        held.forEach(lock -> error.addSuppressed(new Acquisition(lock)));
        throw error;
    }

    /** Shows where a lock was acquired, as a stack trace that tools display and link. */
    private static final class Acquisition extends Exception {

        private static final long serialVersionUID = 1L;

        Acquisition(HeldLock lock) {
            super("Lock '" + lock.lockName() + "' was acquired here by thread '" + lock.thread() + "'");
            setStackTrace(lock.acquiredAt().toArray(StackTraceElement[]::new));
        }
    }
}
