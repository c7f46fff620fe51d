package dev.holdfast.lock.simulation;

import dev.holdfast.lock.simulation.Simulation.Result;

/** Reports a failed run: the seed, the broken promise, and the shortest history that was found. */
final class Report {

    private static final int MOST_RUNS = 400;
    private static final int MOST_LINES = 80;

    private Report() {}

    static String of(Result failed) {
        Violation violation = failed.violation();
        if (violation == null) {
            return "nothing failed";
        }
        Plan shortest = Shrinker.of(violation, MOST_RUNS).shrink(failed.plan());
        Result repeated = Simulation.run(shortest, true);
        return "Seed " + failed.plan().seed() + " (" + failed.plan().profile() + ") breaks: " + violation
                + "\nThe shortest plan that was found has " + shortest.callers().size() + " callers with "
                + shortest.steps() + " steps (of " + failed.plan().steps() + "), "
                + shortest.faults().size() + " faults (of "
                + failed.plan().faults().size() + "), and breaks: "
                + repeated.violation() + "\n" + repeated.history().table(MOST_LINES);
    }
}
