package dev.holdfast.lock.chaos;

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

    boolean strikes(int other) {
        return worker == ALL || worker == other;
    }
}
