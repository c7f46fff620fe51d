package dev.holdfast.lock.spring;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The last lock events of this instance, which {@code holdfast.journal-size} keeps. {@code holdfast-check judge} compares the journals of all instances and
 * says whether two of them held a lock at the same time. The names of the components are those in the endpoint's JSON, and stay. Thread-safe.
 */
public interface LockJournal {

    /** Returns what the journal has now. */
    Contents read();

    /**
     * What a journal has.
     *
     * @param format the number of this format
     * @param instance the name of the instance
     * @param startedAt when the journal began, by this instance's clock
     * @param completeSince since when the journal has all events, by this instance's clock: its start, or the time of the last event that was
     *     overwritten
     * @param readAt when it was read, by this instance's clock
     * @param overwritten how many older events were overwritten
     * @param missing how many acquisitions did not reach the journal, because listeners of this client were too slow
     * @param serverChanges when Redis was found to be another server, or the same one after a start or a promotion: the last hundred times
     * @param events the events, in order
     */
    record Contents(
            int format,
            String instance,
            Instant startedAt,
            Instant completeSince,
            Instant readAt,
            long overwritten,
            long missing,
            List<ServerChange> serverChanges,
            List<Entry> events) {}

    /**
     * Redis was another server. The client looks at its first event, after trouble, and when the journal is read.
     *
     * @param sameUntil when the server before last answered such a question, by this instance's clock
     * @param noticedAt when another one did
     */
    record ServerChange(Instant sameUntil, Instant noticedAt) {}

    /**
     * One event.
     *
     * @param event {@code acquired}, {@code released}, {@code lost}, {@code refused}, or {@code trouble} if a renewal failed and is repeated
     * @param lock the lock's name, with its key, and without the key prefix
     * @param kind the lock's kind
     * @param token the fencing token, as text, because JavaScript would round the number; null if there is none
     * @param grantedAt when Redis granted the lock, by its own clock, which is a part of the token; null if there is no token
     * @param at when the journal received the event, by this instance's clock. Listeners that block make it late
     * @param waitedMicros how long the caller waited, in microseconds; null if the event does not say it
     * @param heldMicros how long the lease had been held, in microseconds, counted from its request; null if the event does not say it
     * @param unconfirmedMicros how long ago Redis had last confirmed a lease that was lost, in microseconds; null for other events
     * @param handedOver whether the lock was handed over inside this instance, without Redis
     * @param cause of a loss the {@link dev.holdfast.lock.LossCause}, of a refusal {@code BUSY} or {@code UNAVAILABLE}; null for other events
     */
    record Entry(
            String event,
            String lock,
            String kind,
            @Nullable String token,
            @Nullable Instant grantedAt,
            Instant at,
            @Nullable Long waitedMicros,
            @Nullable Long heldMicros,
            @Nullable Long unconfirmedMicros,
            boolean handedOver,
            @Nullable String cause) {}
}
