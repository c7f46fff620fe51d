package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.simulation.LockSpec.Kind;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Looks for a seed that breaks a promise, among those whose plans have locks that the mutant concerns. */
public final class MutantHunt {

    private static final Logger SILENT = Logger.getLogger("dev.holdfast.lock");

    private MutantHunt() {}

    /** The locks that the file of a mutant serves. Plans without one of them are left out. */
    private static Set<Kind> kinds(Mutant mutant) {
        String file = mutant.file().replace("lib/", "");
        if (file.startsWith("semaphore")) {
            return EnumSet.of(Kind.SEMAPHORE, Kind.FAIR_SEMAPHORE);
        } else if (file.startsWith("r") && file.contains("read")
                || file.startsWith("write")
                || file.startsWith("rw-")) {
            return EnumSet.of(Kind.READ, Kind.WRITE);
        } else if (file.startsWith("multi-")) {
            return EnumSet.of(Kind.NAMES);
        } else if (file.startsWith("composite/Quorum")) {
            return EnumSet.of(Kind.QUORUM);
        } else if (file.startsWith("composite/")) {
            return EnumSet.of(Kind.QUORUM, Kind.MULTI);
        }
        return mutant.isScript() ? EnumSet.of(Kind.PLAIN, Kind.FAIR) : EnumSet.allOf(Kind.class);
    }

    /** What came of it: how many plans were run, and which promise was broken; null if none was. */
    record Found(int plans, @Nullable String promise) {}

    static Found hunt(Mutant mutant, int mostPlans, int mostSeconds) {
        mutant.changed();
        if (mutant.isScript()) {
            Map<Script, Script> changed = new HashMap<>();
            return hunt(
                    kinds(mutant),
                    mutant.focus(),
                    mostPlans,
                    mostSeconds,
                    server -> (script, keys, args, execution) ->
                            execution.run(changed.computeIfAbsent(script, mutant::changed), keys, args));
        }
        String kinds = kinds(mutant).stream().map(Kind::name).collect(Collectors.joining(","));
        String focus = mutant.focus() == null ? "" : mutant.focus().name();
        try {
            String[] found = ((String) new MutantLoader(mutant)
                            .loadClass(MutantHunt.class.getName())
                            .getMethod("hunt", String.class, String.class, int.class, int.class)
                            .invoke(null, kinds, focus, mostPlans, mostSeconds))
                    .split("/", 2);
            return new Found(Integer.parseInt(found[0]), found[1].isEmpty() ? null : found[1]);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(mutant.toString(), e);
        }
    }

    /** The same where this class was loaded with the mutant: the caller's has other types. */
    public static String hunt(String kinds, String focus, int mostPlans, int mostSeconds) {
        Set<Kind> concerned = Arrays.stream(kinds.split(",")).map(Kind::valueOf).collect(Collectors.toSet());
        Found found =
                hunt(concerned, focus.isEmpty() ? null : Focus.valueOf(focus), mostPlans, mostSeconds, server -> null);
        return found.plans + "/" + (found.promise == null ? "" : found.promise);
    }

    /** First those that found something before. */
    private static Plan ordinary(long number) {
        int known = KnownSeedsTest.SEEDS.length;
        return Planner.of(number <= known ? KnownSeedsTest.SEEDS[(int) number - 1] : number - known);
    }

    private static Found hunt(
            Set<Kind> kinds,
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
            if (plan.profile() == Plan.Profile.CLOCKS || !plan.uses(kinds)) {
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
