package dev.holdfast.check;

import java.util.ArrayList;
import java.util.List;

/**
 * One call to acquire a lock, and the hold that it brought. All times are nanoseconds of the machine's monotonic clock, which all processes share.
 * Zero means never.
 */
final class Attempt {

    final int worker;
    final long number;
    final Use use;
    final List<String> locks;
    final long waitNanos;
    final long askedAt;
    /** The way in which the lock was requested, for messages. */
    String way = "";

    /** The time at which the call returned. */
    long answeredAt;
    /** The fencing token; zero if the lock was not granted. */
    long token;
    /** The last time at which the library said that the lock was held. The time was read before the library was asked. */
    long heldAt;
    /** The first time at which the library said that the lock was not held. The time was read after the library was asked. */
    long goneAt;

    long releaseAt;
    long releasedAt;
    Ending ending = Ending.UNKNOWN;
    final List<Long> lostAt = new ArrayList<>(0);

    Attempt(int worker, long number, Use use, List<String> locks, long waitNanos, long askedAt) {
        this.worker = worker;
        this.number = number;
        this.use = use;
        this.locks = locks;
        this.waitNanos = waitNanos;
        this.askedAt = askedAt;
    }

    boolean isGranted() {
        return token != 0;
    }

    /** Returns whether the library confirmed, at least once after the call returned, that the lock was held. */
    boolean wasHeld() {
        return isGranted() && heldAt >= answeredAt;
    }

    /** Returns when the holder last worked, or learned that it must not. A holder that asked nobody would have worked until then. */
    long endOfWork() {
        return Math.max(heldAt, goneAt);
    }

    /** Returns the times of the attempt in ms from its answer, for messages. */
    String life() {
        return "asked " + sinceAnswer(askedAt) + ", held to " + sinceAnswer(heldAt) + ", gone " + sinceAnswer(goneAt)
                + ", released "
                + sinceAnswer(releaseAt) + " to " + sinceAnswer(releasedAt) + ", " + ending + ", lost "
                + lostAt.stream().map(this::sinceAnswer).toList();
    }

    private String sinceAnswer(long at) {
        return at == 0 ? "never" : (at - answeredAt) / 1_000_000 + " ms";
    }

    @Override
    public String toString() {
        return "worker " + worker + " #" + number + " " + use + (way.isEmpty() ? "" : "/" + way) + locks
                + (isGranted() ? " token " + token : "");
    }
}
