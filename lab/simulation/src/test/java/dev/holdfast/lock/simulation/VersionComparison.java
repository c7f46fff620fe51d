package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.simulation.SimulatedServer.Refusal;
import dev.holdfast.lock.simulation.SimulatedServer.Witness;
import dev.holdfast.lock.simulation.Twin.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Compares what a script of this version writes, answers and publishes with what that of the earlier version does, in the fleets of some seeds. */
final class VersionComparison {

    /** So many seeds from here on send each script. */
    static final long FIRST_SEED = 8;

    final List<String> differences = new ArrayList<>();
    final Map<String, Integer> calls = new TreeMap<>();

    private final UnaryOperator<Script> change;
    private final Predicate<Script> compared;
    private final int most;

    /**
     * Creates one.
     *
     * @param change changes the scripts of this version
     * @param most how many calls of each script are compared
     */
    VersionComparison(UnaryOperator<Script> change, Predicate<Script> compared, int most) {
        this.change = change;
        this.compared = compared;
        this.most = most;
    }

    /** Runs so many fleets, or until there is a difference. */
    void run(int fleets) {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + fleets && differences.isEmpty(); seed++) {
            Plan plan = Planner.of(seed);
            if (plan.profile() != Plan.Profile.FAILOVER) {
                // The earlier version knows no grace.
                Violation violation = Simulation.run(plan, this::witness).violation();
                if (violation != null) {
                    differences.add(violation.toString());
                }
            }
        }
    }

    private Witness witness(SimulatedServer server) {
        Twin twin = new Twin(server);
        return (script, keys, args, execution) -> {
            if (server.refusal == Refusal.NONE
                    && compared.test(script)
                    && calls.getOrDefault(script.name(), 0) < most) {
                calls.merge(script.name(), 1, Integer::sum);
                compare(server, twin, script, keys, args);
            }
            return execution.run(script, keys, args);
        };
    }

    private void compare(SimulatedServer server, Twin twin, Script script, List<String> keys, List<String> args) {
        Map<String, Object> before = server.copy();
        Outcome earlier = twin.run(before, redis -> PreviousScripts.run(script, keys, args, redis));
        Outcome present = twin.run(before, redis -> redis.run(change.apply(script), keys, args));
        String difference = present.differsIn(earlier);
        // Only the present version answers that the holder is asked to stop.
        boolean isAsked = difference.equals("answer") && present.keys().contains("holdfast:stop");
        if (!difference.isEmpty() && !isAsked) {
            differences.add(script + " " + keys + " " + args + " with " + RealRedis.state(server) + "\n does    "
                    + present + "\n and did " + earlier);
        }
    }
}
