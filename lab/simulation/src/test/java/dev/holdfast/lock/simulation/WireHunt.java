package dev.holdfast.lock.simulation;

import java.util.logging.Level;
import java.util.logging.Logger;

/** Looks for a plan on a simulated wire that breaks a promise. */
public final class WireHunt {

    private static final Logger SILENT = Logger.getLogger("dev.holdfast.lock");

    private WireHunt() {}

    /**
     * Hunts where this class and the product were loaded with a mutant.
     *
     * @param focus what all plans are full of; empty for ordinary plans
     * @return the number of plans, and the broken promise if there is one
     */
    public static String hunt(String focus, int mostPlans, int mostSeconds) {
        SILENT.setLevel(Level.OFF);
        long end = System.nanoTime() + mostSeconds * 1_000_000_000L;
        int plans = 0;
        for (long seed = 1; plans < mostPlans && System.nanoTime() - end < 0; seed++) {
            plans++;
            Plan plan = focus.isEmpty() ? Planner.unwired(seed) : FocusedPlanner.of(seed, Focus.valueOf(focus));
            Violation violation = Simulation.run(WirePlanner.over(plan), false).violation();
            if (violation != null) {
                return plans + "/" + violation.promise();
            }
        }
        return plans + "/";
    }
}
