package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LockId;
import dev.holdfast.lock.internal.thread.ThreadHolds.Hold;
import org.jspecify.annotations.Nullable;

/**
 * What a thread holds on the other side of a read/write lock. Only holds of a thread count, never leases as values: a thread that blocks cannot
 * meanwhile leave the other side, so what is found here stays true for as long as it asks.
 */
final class ReadWriteHolds {

    private ReadWriteHolds() {}

    /** The owner of the write lock that the current thread holds, lost or not, where it asks to read as well. */
    static @Nullable String writerOwner(LockEngine lock) {
        Hold<HeldLease> writes =
                lock.kind() == LockKind.READ ? find(lock, LockKind.WRITE, Thread.currentThread()) : null;
        return writes == null ? null : writes.lease().grant().owner();
    }

    /** Whether the writer that releases goes on as a reader: then its grant is for no other writer. */
    static boolean goesOnReading(LockEngine lock, HeldLease released) {
        return lock.kind() == LockKind.WRITE
                && released.terms().threadBound()
                && isHeld(find(lock, LockKind.READ, released.terms().thread()));
    }

    /** Whether the current thread only reads and asks to write: as long as it reads, it cannot get that. */
    static boolean isUpgrade(LockEngine lock) {
        Thread caller = Thread.currentThread();
        return lock.kind() == LockKind.WRITE
                && isHeld(find(lock, LockKind.READ, caller))
                && !isHeld(find(lock, LockKind.WRITE, caller));
    }

    private static @Nullable Hold<HeldLease> find(LockEngine lock, LockKind side, Thread thread) {
        return lock.client.holds.find(new LockId(side, lock.key()), thread);
    }

    private static boolean isHeld(@Nullable Hold<HeldLease> hold) {
        return hold != null && hold.lease().isHeld();
    }

    /** Two readers that waited for each other to leave would wait for ever. */
    static void refuseUpgrade(LockEngine lock) {
        if (isUpgrade(lock)) {
            throw new IllegalMonitorStateException(
                    "Lock '" + LogText.escape(lock.name) + "' is held for reading by thread '"
                            + Thread.currentThread().getName()
                            + "', which cannot write as well: unlock the read lock first, or take the write lock before it");
        }
    }
}
