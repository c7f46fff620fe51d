package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.LockContext;

/** Interrupts a thread when a lease is lost, until closed by that thread. Closing clears the interrupt that this sent, and no other. */
final class LossInterrupt implements LockContext.Scope {

    private final Thread thread = Thread.currentThread();
    private boolean closed;
    private boolean sent;

    LossInterrupt(Lease lease) {
        lease.onLost(loss -> send());
    }

    private synchronized void send() {
        if (!closed && !thread.isInterrupted()) {
            sent = true;
            thread.interrupt();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (sent) {
            Thread.interrupted();
        }
    }
}
