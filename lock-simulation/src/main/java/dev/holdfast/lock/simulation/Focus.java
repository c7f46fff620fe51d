package dev.holdfast.lock.simulation;

/** A situation that is rare in other plans, and frequent in a plan with this focus. Some faults of the product show only there. */
enum Focus {
    /** Leases that nobody releases, where waiters of one client come and go faster than it polls. */
    EXPIRIES,
    /** Answers that take longer than the leases that they bring. */
    LATE_ANSWERS,
    /** Clients that close shortly after a call. */
    CLOSINGS,
    /** Connections that end shortly after a call, and then quiet. */
    CUTS,
    /** Renewals whose answers are late, and a client that then cannot reach Redis. */
    LATE_RENEWALS,
    /** Keys that Redis loses while they are held for long. */
    LOST_KEYS,
    /** Processes that stand still for longer than a place in the queue lives. */
    LONG_PAUSES,
    /** Clients that close shortly after a call, and whose connection ends then. */
    CUT_CLOSINGS
}
