package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.connection.Script;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Looks for a seed that breaks a promise, among those whose plans run what the mutant has changed. */
public final class MutantHunt {

    private static final Logger SILENT = Logger.getLogger("dev.holdfast.lock");

    private MutantHunt() {}

    /** What came of it: how many plans were run, and which promise was broken; null if none was. */
    record Found(int plans, @Nullable String promise) {}

    static Found hunt(Mutant mutant, int mostPlans, int mostSeconds) {
        mutant.changed();
        Set<String> missed = mutant.focus() == null ? Reach.missedBy(mutant) : Set.of();
        if (mutant.isScript()) {
            UnaryOperator<Script> change = mutant.change();
            return hunt(
                    missed,
                    mutant.focus(),
                    mostPlans,
                    mostSeconds,
                    server -> (script, keys, args, execution) -> execution.run(change.apply(script), keys, args));
        }
        String focus = mutant.focus() == null ? "" : mutant.focus().name();
        String[] found = new MutantLoader(mutant)
                .call(MutantHunt.class, "hunt", String.join(",", missed), focus, "" + mostPlans, "" + mostSeconds)
                .split("/", 2);
        return new Found(Integer.parseInt(found[0]), found[1].isEmpty() ? null : found[1]);
    }

    /** The same where this class was loaded with the mutant: the caller's has other types. */
    public static String hunt(String missed, String focus, String mostPlans, String mostSeconds) {
        Found found = hunt(
                Set.of(missed.split(",")),
                focus.isEmpty() ? null : Focus.valueOf(focus),
                Integer.parseInt(mostPlans),
                Integer.parseInt(mostSeconds),
                server -> null);
        return found.plans + "/" + (found.promise == null ? "" : found.promise);
    }

    /** First those that found something before. */
    private static Plan ordinary(long number) {
        int known = KnownSeedsTest.SEEDS.length;
        return Planner.of(number <= known ? KnownSeedsTest.SEEDS[(int) number - 1] : number - known);
    }

    private static Found hunt(
            Set<String> missed,
            @Nullable Focus focus,
            int mostPlans,
            int mostSeconds,
            Function<SimulatedServer, SimulatedServer.@Nullable Witness> witness) {
        SILENT.setLevel(Level.OFF);
        long end = System.nanoTime() + mostSeconds * 1_000_000_000L;
        int plans = 0;
        for (long seed = 1; plans < mostPlans && System.nanoTime() - end < 0; seed++) {
            Plan plan = focus == null ? ordinary(seed) : FocusedPlanner.of(seed, focus);
            // Too little is promised where the server's clock jumps.
            if (plan.profile() == Plan.Profile.CLOCKS || missed.contains(Reach.of(plan.kinds()))) {
                continue;
            }
            plans++;
            Violation violation = Simulation.run(plan, witness).violation();
            if (violation != null) {
                return new Found(plans, violation.promise());
            }
        }
        return new Found(plans, null);
    }
}
