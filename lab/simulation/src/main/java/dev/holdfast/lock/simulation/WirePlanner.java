package dev.holdfast.lock.simulation;

import dev.holdfast.lock.simulation.Plan.Fault;
import dev.holdfast.lock.simulation.Plan.FaultKind;
import dev.holdfast.lock.simulation.Plan.Profile;
import java.util.ArrayList;
import java.util.List;

/** Adds faults to plans that strike at a command, or at an attempt to connect. */
final class WirePlanner {

    private static final int ONCE_IN = 4;
    private static final int MOST_CLIENT_TIMEOUTS = 2;
    private static final int LATE_ONCE_IN = 3;

    private WirePlanner() {}

    static boolean isFor(long seed) {
        // The text in quotes was chosen so that the seeds that failed before keep their plans.
        return Chance.of(seed, "wire 8923").onceIn(ONCE_IN);
    }

    /** Returns the plan with these faults. Calm plans get none. */
    static Plan over(Plan plan) {
        List<Fault> faults = new ArrayList<>(plan.faults());
        Chance chance = Chance.of(plan.seed(), "faults of the wire");
        int count = plan.profile() == Profile.CALM ? 0 : chance.below(8);
        for (int i = 0; i < count; i++) {
            int client = chance.below(plan.clients().size());
            int kind = chance.below(4);
            if (kind < 2) {
                add(faults, plan, chance, FaultKind.CUT_AT_COMMAND, client, 0, -1);
            } else if (kind == 2) {
                add(faults, plan, chance, FaultKind.NO_CONNECTION, client, 100 + chance.below(1_900), -1);
            } else {
                // The answer arrives while the process stands still, and its timeout is over as well.
                int timeout = timeoutMillis(plan, client);
                int length = timeout + chance.below(MOST_CLIENT_TIMEOUTS * timeout);
                add(faults, plan, chance, FaultKind.PAUSE, client, length, chance.below(600));
            }
        }
        if (plan.profile() != Profile.CALM
                && Chance.of(plan.seed(), "late refusals 2").onceIn(LATE_ONCE_IN)) {
            addLateRefusal(faults, plan, chance);
        }
        return plan.withFaults(faults);
    }

    /** Adds a server that does not know a script, and says so after the wait for the answer. */
    private static void addLateRefusal(List<Fault> faults, Plan plan, Chance chance) {
        int at = chance.below(Planner.END_MILLIS);
        int client = chance.below(plan.clients().size());
        int timeout = timeoutMillis(plan, client);
        faults.add(new Fault(FaultKind.FORGET_SCRIPTS, at, client, 0, 0, 0));
        faults.add(new Fault(FaultKind.STALL, at, client, 0, timeout + chance.below(timeout), 0));
    }

    private static int timeoutMillis(Plan plan, int client) {
        return plan.clients().get(client).watchdogMillis() > 6_000 ? 2_000 : 500;
    }

    private static void add(
            List<Fault> faults, Plan plan, Chance chance, FaultKind kind, int client, int millis, int afterCallMicros) {
        faults.add(new Fault(
                kind,
                chance.below(Planner.END_MILLIS),
                client,
                chance.below(plan.servers()),
                millis,
                chance.below(1 << 20),
                afterCallMicros));
    }
}
