package dev.holdfast.check;

import java.util.Set;

/**
 * A fault and the time for which it lasted.
 *
 * @param fault its name
 * @param worker the worker that it affected; {@link #ALL} for all workers
 */
public record Outage(String fault, int worker, long from, long until) {

    public static final int ALL = -1;

    /** The name of the fault that stops a worker's process. */
    static final String STOPPED = "stop a worker";

    /** The name of a time in which the server did not answer anybody. */
    static final String AWAY = "server away";

    /** The names of failovers whose effects on clients are measured, so that they excuse nothing. */
    public static final String REQUESTED = "requested failover";

    public static final String COORDINATED = "coordinated failover";

    /** Faults that do not affect a client's connections. */
    private static final Set<String> CONNECTIONS_STAY = Set.of(
            "flush all",
            "delete a lock",
            "release by force",
            "out of memory",
            "forget scripts",
            "delay",
            REQUESTED,
            COORDINATED,
            "lose messages");

    /** Returns whether clients may have to connect again after the fault. */
    boolean cutsConnections() {
        return !CONNECTIONS_STAY.contains(fault) && !fault.startsWith("jump");
    }

    boolean strikes(int other) {
        return worker == ALL || worker == other;
    }
}
