package dev.holdfast.lock.chaos;

import java.util.Set;

/**
 * A fault and how long it lasted.
 *
 * @param fault its name
 * @param worker whom it struck; {@link #ALL} for all
 */
record Outage(String fault, int worker, long from, long until) {

    static final int ALL = -1;

    /** The fault that stops a worker's process. */
    static final String STOPPED = "stop a worker";

    /** Faults of which a client's connections know nothing. */
    private static final Set<String> CONNECTIONS_STAY = Set.of(
            "flush all",
            "delete a lock",
            "release by force",
            "out of memory",
            "forget scripts",
            "delay",
            "lose messages");

    /** Whether clients may have to connect again when it is over. */
    boolean cutsConnections() {
        return !CONNECTIONS_STAY.contains(fault) && !fault.startsWith("jump");
    }

    boolean strikes(int other) {
        return worker == ALL || worker == other;
    }
}
