package dev.holdfast.lock.simulation;

import dev.holdfast.lock.simulation.Plan.CallerPlan;
import dev.holdfast.lock.simulation.Plan.Fault;
import dev.holdfast.lock.simulation.Simulation.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Finds a shorter plan that fails in the same way, by removing callers, faults and steps that the failure does not need. */
final class Shrinker {

    private final Predicate<Result> fails;
    private final int mostRuns;
    private int runs;

    /**
     * Creates a shrinker.
     *
     * @param fails whether a result shows the same failure
     * @param mostRuns the maximum number of plans to run
     */
    Shrinker(Predicate<Result> fails, int mostRuns) {
        this.fails = fails;
        this.mostRuns = mostRuns;
    }

    /** Creates a shrinker for a violation. A failure is the same if it breaks the same promise. */
    static Shrinker of(Violation violation, int mostRuns) {
        return new Shrinker(
                result -> result.violation() != null
                        && result.violation().promise().equals(violation.promise()),
                mostRuns);
    }

    private boolean stillFails(Plan plan) {
        return runs++ < mostRuns && fails.test(Simulation.run(plan, false));
    }

    Plan shrink(Plan failing) {
        Plan plan = failing;
        for (int before = Integer.MAX_VALUE; size(plan) < before && runs < mostRuns; ) {
            before = size(plan);
            plan = withFewerCallers(plan);
            plan = withFewerFaults(plan);
            plan = withFewerSteps(plan);
        }
        return plan;
    }

    private static int size(Plan plan) {
        return plan.callers().size() + plan.faults().size() + plan.steps();
    }

    private Plan withFewerCallers(Plan plan) {
        Plan shortest = plan;
        for (int size = plan.callers().size() / 2; size >= 1; size /= 2) {
            for (int from = 0; from + size <= shortest.callers().size(); ) {
                List<CallerPlan> fewer = Plan.without(shortest.callers(), from, from + size);
                if (stillFails(shortest.withCallers(fewer))) {
                    shortest = shortest.withCallers(fewer);
                } else {
                    from += size;
                }
            }
        }
        return shortest;
    }

    private Plan withFewerFaults(Plan plan) {
        Plan shortest = plan;
        for (int size = Math.max(1, plan.faults().size() / 2); size >= 1; size /= 2) {
            for (int from = 0; from + size <= shortest.faults().size(); ) {
                List<Fault> fewer = Plan.without(shortest.faults(), from, from + size);
                if (stillFails(shortest.withFaults(fewer))) {
                    shortest = shortest.withFaults(fewer);
                } else {
                    from += size;
                }
            }
        }
        return shortest;
    }

    private Plan withFewerSteps(Plan plan) {
        Plan shortest = plan;
        for (int i = 0; i < shortest.callers().size(); i++) {
            for (int size = Math.max(1, shortest.callers().get(i).steps().size() / 2); size >= 1; size /= 2) {
                for (int from = 0;
                        from + size <= shortest.callers().get(i).steps().size(); ) {
                    CallerPlan caller = shortest.callers().get(i);
                    List<CallerPlan> callers = new ArrayList<>(shortest.callers());
                    callers.set(i, caller.withSteps(Plan.without(caller.steps(), from, from + size)));
                    if (stillFails(shortest.withCallers(callers))) {
                        shortest = shortest.withCallers(callers);
                    } else {
                        from += size;
                    }
                }
            }
        }
        return shortest;
    }
}
