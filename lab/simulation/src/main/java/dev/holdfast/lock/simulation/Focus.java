package dev.holdfast.lock.simulation;

/** A situation that is rare in other plans, and frequent in a plan with this focus. Some faults of the product show only there. */
enum Focus {
    /** Leases that are not released, while the waiters of one client come and go faster than it polls. */
    EXPIRIES,
    /** Answers that take longer than the leases that they bring. */
    LATE_ANSWERS,
    /** Clients that close shortly after a call. */
    CLOSINGS,
    /** Connections that end shortly after a call, followed by a quiet period. */
    CUTS,
    /** Renewals whose answers are late, and a client that then cannot reach Redis. */
    LATE_RENEWALS,
    /** Keys that Redis loses while they are held for long. */
    LOST_KEYS,
    /** Processes that are paused for longer than the lifetime of a place in the queue. */
    LONG_PAUSES,
    /** Clients that close shortly after a call, and lose their connection meanwhile. */
    CUT_CLOSINGS,
    /** Permits of a semaphore that are released at almost the same moment, while several callers of each client wait. */
    PERMITS,
    /** Clients with a grace, and a Redis that loses data in a new reign. */
    FAILOVERS,
    /** Holds of 4 to 40 s, and extensions of several lengths that they outlive. */
    LONG_HOLDS,
    /** Renewed leases of 30 s, and short outages at about the times of their renewals. */
    SHORT_OUTAGES,
    /** Callers that give up while their request is under way. */
    CANCELS,
    /** Minimum holds in which the maximum hold ends, or the client closes or dies. */
    MIN_HOLDS,
    /** Waiters that leave the queue of a lock shortly before or after it becomes free, some of which a release cannot serve. */
    DEPARTURES,
    /** Permits of a client that stands still, which run out while others are held. */
    RUN_OUT,
    /** Locks that are released by force. */
    FORCED,
    /** Threads that enter a lock several times, and read inside their own write lock. */
    THREADS,
    /** Elections of a leader. */
    ELECTIONS,
    /** Records beside locks. */
    RECORDS,
    /** Any kind of lock, with every option, change and end. */
    MIXTURE,
    /** Hundreds of waiters, readers or permits of one lock. */
    CROWDS,
    /** Clients with a grace and short or long leases, which use any kind of lock in every way. Redis loses data, or the master before serves on. */
    GRACES,
    /** Holders that are asked to stop, while others of their client and of other clients wait. */
    STOPS;

    /** Returns whether {@link ScenePlanner} makes the plans. */
    boolean isScene() {
        return compareTo(LONG_HOLDS) >= 0;
    }
}
