package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.protocol.RedisKind;
import dev.holdfast.lock.internal.thread.ThreadHolds;
import dev.holdfast.lock.internal.thread.ThreadHolds.Hold;
import org.jspecify.annotations.Nullable;

/**
 * What a thread holds on the other side of a read/write lock. Only holds of a thread count, never leases as values: a thread that blocks
 * cannot meanwhile leave the other side, so what is found here stays true for as long as it asks.
 */
final class OtherSide {

    private final LockKind side;
    private final String readRoom;
    private final String writeRoom;
    private final ThreadHolds<HeldLease> holds;

    OtherSide(LockKind side, String key, ThreadHolds<HeldLease> holds) {
        this.side = side;
        this.readRoom = RedisKind.roomKey(LockKind.READ, key);
        this.writeRoom = RedisKind.roomKey(LockKind.WRITE, key);
        this.holds = holds;
    }

    /** The owner of the write lock that the present thread holds, lost or not, where it asks to read as well. */
    @Nullable
    String writer() {
        Hold<HeldLease> writes = side == LockKind.READ ? holds.find(writeRoom) : null;
        return writes == null ? null : writes.lease().grant().owner();
    }

    /** Whether the writer that releases goes on as a reader: then its grant is nobody else's. */
    boolean goesOnReading(HeldLease released) {
        LeaseTerms terms = released.terms();
        return side == LockKind.WRITE && terms.threadBound() && isHeld(holds.find(readRoom, terms.thread()));
    }

    /** Whether the current thread only reads and asks to write: as long as it reads, it cannot get that. */
    boolean isUpgrade() {
        return side == LockKind.WRITE && isHeld(holds.find(readRoom)) && !isHeld(holds.find(writeRoom));
    }

    private static boolean isHeld(@Nullable Hold<HeldLease> hold) {
        return hold != null && hold.lease().isHeld();
    }

    /** Two readers that waited for each other to leave would wait for ever. */
    void refuseUpgrade(String lockName) {
        if (isUpgrade()) {
            throw new IllegalMonitorStateException(
                    "Lock '" + LogText.escape(lockName) + "' is held for reading by thread '"
                            + Thread.currentThread().getName()
                            + "', which cannot write as well: unlock the read lock first, or take the write lock before it");
        }
    }
}
