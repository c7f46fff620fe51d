package dev.holdfast.lock.spring;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * What happened to the ticks of jobs that run {@linkplain OncePerTick once per tick}, on all instances. It is read from Redis, so
 * every instance shows the same. All times are the server's.
 */
public interface JobBoard {

    /**
     * Returns the jobs of this application, by the names of their locks. Reads one record for each, and asks who holds the lock if a run seems to be
     * going on. A job whose lock has a key is known from its first call on this instance on, until a thousand others have come after it.
     *
     * @throws dev.holdfast.lock.LockUnavailableException if Redis does not answer
     */
    List<Job> jobs();

    /** Returns the same for one declared name: one job for each key. Reads their records only. */
    List<Job> jobs(String name);

    /** Returns the declared names of the jobs of this application. Does not ask Redis. */
    SortedSet<String> names();

    /**
     * Asks the run of a job that is going on to stop, on whichever instance. Its {@link dev.holdfast.lock.Lease#stopRequested()} is true within a third
     * of the lease. A run that does not look at it continues. Logged as a warning, and published as a {@link JobStopRequested}.
     *
     * @param name the declared name of the job's lock, which stands for all keys that {@link #jobs()} knows; or the name of a lock
     * @param by who asks for it; null if that is unknown
     * @return false if no run was asked, because none is going on
     * @throws dev.holdfast.lock.LockUnavailableException if Redis does not answer. The run may have been asked
     */
    boolean requestStop(String name, @Nullable String by);

    /**
     * A job.
     *
     * @param name the declared name of its lock
     * @param lock the name of its lock, which has the key
     * @param at when Redis was asked
     * @param lastTick the last tick that counts; null if none has run
     * @param nextTick the next tick; null if there is none
     * @param lastSucceeded the tick of the last run that has succeeded; null if none is known
     * @param overdueSince the first tick that should have begun and has not; null if all is well
     * @param running the run that is going on; null if none is
     * @param history the last ticks, the newest first: the last twenty runs, and missed ticks, unless their texts exceed 4,096 bytes
     */
    record Job(
            String name,
            String lock,
            Instant at,
            @Nullable Instant lastTick,
            @Nullable Instant nextTick,
            @Nullable Instant lastSucceeded,
            @Nullable Instant overdueSince,
            @Nullable Entry running,
            List<Entry> history) {}

    /**
     * What happened to a tick, or to several that nobody ran for one reason.
     *
     * @param tick the tick; the first one of several
     * @param ticks how many ticks; a thousand at most
     * @param instance the name of the instance that ran it; null if nobody did
     * @param began when the run began; null if nobody ran it
     * @param took how long the run took; null if it is going on, or nobody wrote its end
     * @param reason the class of the exception if it {@linkplain Outcome#FAILED failed}, or why it was {@linkplain Outcome#MISSED missed};
     *     {@code stop-requested} if it is going on and was {@linkplain #requestStop asked to stop}; else null
     */
    record Entry(
            Instant tick,
            Outcome outcome,
            int ticks,
            @Nullable String instance,
            @Nullable Instant began,
            @Nullable Duration took,
            @Nullable String reason) {}

    /** How a tick ended. */
    enum Outcome {
        /** It is going on. */
        RUNNING,
        /** The method ended without an exception. */
        SUCCEEDED,
        /** The method threw, or its transaction was rolled back. */
        FAILED,
        /** The run lost its lock. Another one may have run at the same time. */
        LOST,
        /** Nobody wrote its end, and it does not have its lock any more: its process died or stands still, or Redis did not answer. */
        DIED,
        /**
         * Nobody ran it. The reason is {@code paused}, {@code busy} (an earlier run was going on), {@code unavailable} (Redis did not answer), {@code
         * ran-without-lock}, {@code not-fired} (an instance that lived did not fire it), {@code before-start} (the instance that says it had not
         * started), or {@code several-reasons}.
         */
        MISSED,
        /** A later version of Holdfast says something else. */
        UNKNOWN
    }
}
