package dev.holdfast.lock.simulation;

/** What was done. */
final class Counts {

    long asked;
    long grants;
    long busy;
    long unavailable;
    long losses;
    long writes;
    long faults;
    long steps;
    long executions;

    void add(Counts other) {
        asked += other.asked;
        grants += other.grants;
        busy += other.busy;
        unavailable += other.unavailable;
        losses += other.losses;
        writes += other.writes;
        faults += other.faults;
        steps += other.steps;
        executions += other.executions;
    }
}
