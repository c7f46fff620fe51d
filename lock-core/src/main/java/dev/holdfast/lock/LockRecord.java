package dev.holdfast.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A short text kept beside a lock. The lock's holder writes it, and anybody reads it: what was done last under the lock, for example. It stays when
 * the lock is released, until its own end.
 *
 * <p>Redis checks the holder in the step in which it writes. So a holder whose lease has ended writes nothing, even if it does not know of its loss
 * yet, and a text never replaces that of a later holder. Only a re-entrant or a fair lock has a record.
 *
 * <p>The record is as safe as the lock: a failover may forget it, and then it has no text, or an earlier one. Thread-safe.
 */
public interface LockRecord {

    /** The longest text, in bytes of UTF-8. */
    int MAX_BYTES = 4096;

    /** The longest time for which a text can be kept: ten years. */
    Duration MAX_KEEP = Duration.ofDays(3650);

    /** The lock's name, without the client's prefix. */
    String lockName();

    /**
     * Reads the text. Anybody may.
     *
     * @throws LockUnavailableException if Redis did not answer
     */
    Reading read();

    /** Reads the text without blocking. The stage fails with {@link LockUnavailableException} if Redis did not answer. */
    CompletionStage<Reading> readAsync();

    /**
     * Writes the text as the lock's holder. If Redis does not answer, it may be written or not.
     *
     * @param holder a lease of this lock
     * @param text at most {@value #MAX_BYTES} bytes of UTF-8
     * @param keep until when the text is kept, counted from now: 1 ms to {@link #MAX_KEEP}
     * @throws LeaseLostException if the lease has ended; nothing is written then
     * @throws IllegalMonitorStateException if it was released
     * @throws IllegalArgumentException if the lease is not one of this lock, or the text or the time is out of bounds
     * @throws LockUnavailableException if Redis did not answer
     */
    void write(Lease holder, String text, Duration keep);

    /** Writes the text without blocking. The stage fails as {@link #write} does; it throws {@link IllegalArgumentException} at once. */
    CompletionStage<Void> writeAsync(Lease holder, String text, Duration keep);

    /**
     * Writes the text as {@link #write} does, unless the record says something else than before. So a holder that has read the record before it
     * acquired the lock need not read it again.
     *
     * @param before what the record must still say; null if nothing is kept
     * @return whether the text is written, and what the record says now
     */
    Replacement replace(Lease holder, @Nullable String before, String text, Duration keep);

    /**
     * Does the same as {@link #replace} without blocking. The stage fails as {@link #write} does; it throws {@link IllegalArgumentException} at once.
     */
    CompletionStage<Replacement> replaceAsync(Lease holder, @Nullable String before, String text, Duration keep);

    /**
     * What a record says after {@link #replace}.
     *
     * @param isWritten false if it said something else than before
     */
    record Replacement(boolean isWritten, Reading now) {}

    /**
     * What was read.
     *
     * @param text null if nothing is kept
     * @param time the server's time, with which times in the text can be compared: instances' clocks differ
     */
    record Reading(@Nullable String text, Instant time) {}
}
