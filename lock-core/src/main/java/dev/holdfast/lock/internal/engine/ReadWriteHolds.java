package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LockId;
import dev.holdfast.lock.internal.thread.ThreadHolds;
import dev.holdfast.lock.internal.thread.ThreadHolds.Hold;
import org.jspecify.annotations.Nullable;

/**
 * Finds a thread's holds on the other side of a read/write lock. Only holds of a thread count, not leases as values. While a thread waits for its
 * request, it cannot release its holds, so the result stays true during that time.
 */
final class ReadWriteHolds {

    private ReadWriteHolds() {}

    /**
     * Returns the owner id of the write lock that the current thread holds or has lost, if the thread requests the read lock. Otherwise, returns
     * null.
     */
    static @Nullable String writerOwner(ThreadHolds<HeldLease> holds, LockId lock) {
        Hold<HeldLease> writes =
                lock.kind() == LockKind.READ ? find(holds, lock, LockKind.WRITE, Thread.currentThread()) : null;
        return writes == null ? null : writes.lease().grant().owner();
    }

    /** Returns whether a writer that releases continues as a reader. Its grant is then not handed over to another writer. */
    static boolean goesOnReading(ThreadHolds<HeldLease> holds, LockId lock, HeldLease released) {
        return lock.kind() == LockKind.WRITE
                && released.terms().threadBound()
                && isHeld(find(holds, lock, LockKind.READ, released.terms().thread()));
    }

    /** Returns whether the current thread holds only the read lock and requests the write lock. It cannot get the write lock while it reads. */
    static boolean isUpgrade(ThreadHolds<HeldLease> holds, LockId lock) {
        Thread caller = Thread.currentThread();
        return lock.kind() == LockKind.WRITE
                && isHeld(find(holds, lock, LockKind.READ, caller))
                && !isHeld(find(holds, lock, LockKind.WRITE, caller));
    }

    private static @Nullable Hold<HeldLease> find(
            ThreadHolds<HeldLease> holds, LockId lock, LockKind side, Thread thread) {
        return holds.find(new LockId(side, lock.key()), thread);
    }

    private static boolean isHeld(@Nullable Hold<HeldLease> hold) {
        return hold != null && hold.lease().isHeld();
    }

    /** Returns the refusal of an upgrade that would wait, because two readers that wait for each other's release would wait forever. */
    static IllegalMonitorStateException refusedUpgrade(String name) {
        return new IllegalMonitorStateException("Lock '" + LogText.escape(name) + "' is held for reading by thread '"
                + Thread.currentThread().getName()
                + "', which cannot write as well: unlock the read lock first, or take the write lock before it");
    }
}
