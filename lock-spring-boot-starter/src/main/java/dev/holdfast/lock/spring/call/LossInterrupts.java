package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.LockContext;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The threads that the loss of one lease interrupts. The lease knows one callback for all of them, because it keeps a callback until it ends, and calls
 * inside a long one come and go. Thread-safe.
 */
final class LossInterrupts {

    private final Set<Interruptible> threads = ConcurrentHashMap.newKeySet();
    private volatile boolean lost;

    LossInterrupts(Lease lease) {
        lease.onLost(loss -> interruptAll());
    }

    /** Interrupts the current thread when the lease is lost, until that thread closes the scope. */
    LockContext.Scope enter() {
        Interruptible thread = new Interruptible();
        threads.add(thread);
        // The callback may have come before this thread was added.
        if (lost) {
            thread.interrupt();
        }
        return () -> {
            threads.remove(thread);
            thread.close();
        };
    }

    private void interruptAll() {
        lost = true;
        threads.forEach(Interruptible::interrupt);
    }

    /** Closing clears only the interrupt that this object sent. Instances are never equal. */
    private static final class Interruptible {

        private final Thread thread = Thread.currentThread();
        private boolean closed;
        private boolean sent;

        synchronized void interrupt() {
            if (!closed && !thread.isInterrupted()) {
                sent = true;
                thread.interrupt();
            }
        }

        synchronized void close() {
            closed = true;
            if (sent) {
                Thread.interrupted();
            }
        }
    }
}
