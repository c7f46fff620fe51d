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
    PERMITS
}
