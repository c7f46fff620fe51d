package dev.holdfast.lock.simulation;

import java.util.EnumMap;
import java.util.Map;

/** The numbers of calls, results, faults and steps in one or more runs. */
final class Counts {

    long asked;
    long grants;
    long busy;
    long unavailable;
    long losses;
    long writes;
    long faults;
    final Map<Plan.FaultKind, Long> faultsOfKind = new EnumMap<>(Plan.FaultKind.class);
    final Map<LockSpec.Kind, Long> grantsOfKind = new EnumMap<>(LockSpec.Kind.class);
    long leaders;
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
        other.faultsOfKind.forEach((kind, count) -> faultsOfKind.merge(kind, count, Long::sum));
        other.grantsOfKind.forEach((kind, count) -> grantsOfKind.merge(kind, count, Long::sum));
        leaders += other.leaders;
        steps += other.steps;
        executions += other.executions;
    }
}
