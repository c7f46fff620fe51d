package dev.holdfast.lock.simulation;

import dev.holdfast.lock.simulation.Plan.Fault;
import dev.holdfast.lock.simulation.Plan.FaultKind;
import dev.holdfast.lock.simulation.Plan.Profile;
import java.util.ArrayList;
import java.util.List;

/** Lets the clients of some plans run on a simulated wire, and adds the faults that only a wire can have. */
final class WirePlanner {

    private static final int ONCE_IN = 4;
    private static final int MOST_CLIENT_TIMEOUTS = 2;

    private WirePlanner() {}

    static boolean isFor(long seed) {
        // The text in quotes was chosen so that the seeds that failed before keep their plans.
        return Chance.of(seed, "wire 8923").onceIn(ONCE_IN);
    }

    /** Returns the plan on a wire. Calm plans get no faults. */
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
                int timeout = plan.clients().get(client).watchdogMillis() > 6_000 ? 2_000 : 500;
                int length = timeout + chance.below(MOST_CLIENT_TIMEOUTS * timeout);
                add(faults, plan, chance, FaultKind.PAUSE, client, length, chance.below(600));
            }
        }
        return plan.withFaults(faults).wired();
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
