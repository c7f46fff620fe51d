package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.connection.Script;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Looks for a plan that breaks a promise. It counts how often the mutant's place is passed, and soon leaves out kinds of plans that never pass it. If a
 * plan breaks a promise without the mutant, the hunt fails: whatever it finds is not known to be the mutant's.
 */
public final class MutantHunt {

    private static final Logger SILENT = Logger.getLogger("dev.holdfast.lock");

    /** After so many plans of a kind that do not pass the place, only one in some is run. */
    private static final int TRIED = 4;

    private static final int STILL_ONCE_IN = 10;

    private static final String CUT = "cut ";

    /**
     * What came of it.
     *
     * @param plans how many plans were run
     * @param passed how often the mutant's place was passed. Where it was not, nothing was found out
     * @param number the number of the last plan
     * @param promise the promise that it broke; null if none was broken
     */
    record Found(
            int plans, long passed, long number, @Nullable String promise) {

        @Override
        public String toString() {
            return promise != null ? promise : passed == 0 ? "not found: no plan passes its place" : "not found";
        }
    }

    private static final class Tries {
        private int plans;
        private long passed;
    }

    private MutantHunt() {}

    static Found hunt(Mutant mutant, int mostPlans, int mostSeconds) {
        return hunt(mutant, mutant.focus() == null ? "" : mutant.focus().name(), mostPlans, mostSeconds);
    }

    /** The same in plans with faults of the wire. */
    static Found huntOnWire(Mutant mutant, int mostPlans, int mostSeconds) {
        String focus = mutant.focus() == null ? "" : mutant.focus().name();
        return hunt(mutant, CUT + focus, mostPlans, mostSeconds);
    }

    private static Found hunt(Mutant mutant, String source, int mostPlans, int mostSeconds) {
        if (mutant.isScript()) {
            return hunt(plans(source), mostPlans, mostSeconds, MutantHunt::breaks, replacing(mutant.change()));
        }
        String[] found = new MutantLoader(mutant)
                .call(MutantHunt.class, "hunt", source, "" + mostPlans, "" + mostSeconds)
                .split("/", 4);
        long number = Long.parseLong(found[2]);
        String promise = found[3].isEmpty() ? null : found[3];
        if (promise != null) {
            // The mutant's world has no product without it, so this is the first moment to look.
            checkWithout(plans(source).apply(number), promise, MutantHunt::breaks);
        }
        return new Found(Integer.parseInt(found[0]), Long.parseLong(found[1]), number, promise);
    }

    static Function<SimulatedServer, SimulatedServer.@Nullable Witness> replacing(UnaryOperator<Script> change) {
        return server -> (script, keys, args, execution) -> execution.run(change.apply(script), keys, args);
    }

    /** The same where this class was loaded with the mutant: the caller's has other types. */
    public static String hunt(String source, String mostPlans, String mostSeconds) {
        // Without the mutant, the plan can only be run elsewhere.
        Found found = hunt(
                plans(source),
                Integer.parseInt(mostPlans),
                Integer.parseInt(mostSeconds),
                plan -> false,
                server -> null);
        return found.plans + "/" + found.passed + "/" + found.number + "/"
                + (found.promise == null ? "" : found.promise);
    }

    private static LongFunction<Plan> plans(String source) {
        boolean isCut = source.startsWith(CUT);
        String focus = isCut ? source.substring(CUT.length()) : source;
        LongFunction<Plan> plans = !focus.isEmpty()
                ? number -> FocusedPlanner.of(number, Focus.valueOf(focus))
                : isCut ? Planner::withoutScenes : MutantHunt::ordinary;
        return isCut ? number -> WirePlanner.over(plans.apply(number)) : plans;
    }

    /** Returns whether a plan breaks a promise of the product as it is. */
    static boolean breaks(Plan plan) {
        return Simulation.run(plan, false).violation() != null;
    }

    /** First those that found something before. */
    private static Plan ordinary(long number) {
        int known = KnownSeedsTest.SEEDS.length;
        return Planner.of(number <= known ? KnownSeedsTest.SEEDS[(int) number - 1] : number - known);
    }

    static Found hunt(
            LongFunction<Plan> plans,
            int mostPlans,
            int mostSeconds,
            Predicate<Plan> breaksAnyway,
            Function<SimulatedServer, SimulatedServer.@Nullable Witness> witness) {
        SILENT.setLevel(Level.OFF);
        long end = ProcessorTime.in(mostSeconds);
        long before = Marks.passed();
        Map<String, Tries> tries = new HashMap<>();
        int run = 0;
        for (long number = 1; run < mostPlans && ProcessorTime.nanos() < end; number++) {
            Plan plan = plans.apply(number);
            Tries same = tries.computeIfAbsent(plan.profile() + " " + plan.kinds(), any -> new Tries());
            boolean isVain = same.plans >= TRIED && same.passed == 0 && Marks.passed() > before;
            if (isVain && number % STILL_ONCE_IN != 0) {
                continue;
            }
            run++;
            long passedBefore = Marks.passed();
            Violation violation = Simulation.run(plan, witness).violation();
            same.plans++;
            same.passed += Marks.passed() - passedBefore;
            if (violation != null) {
                boolean isPassed = Marks.passed() > passedBefore;
                checkWithout(plan, violation.promise(), isPassed ? breaksAnyway : any -> true);
                return new Found(run, Marks.passed() - before, number, violation.promise());
            }
        }
        return new Found(run, Marks.passed() - before, 0, null);
    }

    private static void checkWithout(Plan plan, String promise, Predicate<Plan> breaksAnyway) {
        if (breaksAnyway.test(plan)) {
            throw new IllegalStateException("The plan of seed " + plan.seed() + " (" + plan.profile() + " "
                    + plan.kinds() + ") breaks a promise without the mutant: " + promise);
        }
    }
}
