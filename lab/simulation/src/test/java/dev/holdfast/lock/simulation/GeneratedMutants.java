package dev.holdfast.lock.simulation;

import static dev.holdfast.lock.simulation.SimulatedServer.Refusal.NONE;

import dev.holdfast.lock.explore.Survey;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.simulation.Twin.Outcome;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Hunts faults that {@link LuaMutator} makes, with the cheapest instrument first. */
final class GeneratedMutants {

    /**
     * What came of a mutant.
     *
     * @param instrument which instrument found it, or why none did
     * @param check the check that failed, and where; null if none did
     * @param passed how often its place was passed
     */
    record Trial(Mutant mutant, String instrument, @Nullable String check, double seconds, long passed) {

        boolean isFound() {
            return check != null;
        }

        boolean isExplained() {
            return !isFound() && Explained.of(mutant).isPresent();
        }

        /** Returns which instrument found it, or why none did. */
        String outcome() {
            return isExplained()
                    ? "explained: " + Explained.of(mutant).orElseThrow().reason()
                    : instrument;
        }

        /** Returns what survivors have in common: where they are, and what none of them did. */
        String group() {
            return mutant.file() + ", " + instrument;
        }

        /** Returns the check without its place. */
        String checkAlone() {
            return String.valueOf(check).split(": ", 2)[0];
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "| %s | %s | %.1f | %,d | `%s` |",
                    outcome(),
                    check == null ? "" : check.lines().findFirst().orElse(""),
                    seconds,
                    passed,
                    mutant.name());
        }
    }

    /** No plan passes the place of the mutant. */
    static final String NOT_PASSED = "not passed";
    /** Plans pass it, in states of Redis in which the mutant does what the product does. */
    static final String ALIKE = "alike";
    /** The mutant does something else, and no check fails. What it is follows. */
    static final String UNNOTICED = "unnoticed: other ";

    private static final int CALLS_COMPARED = 500;
    private static final int FLEETS_COMPARED = 60;

    private static final int MORE_SITUATIONS = 1_500;
    /** So many plans of a kind show which scripts its clients send. */
    private static final int PLANS_OF_EACH = 3;

    private static final int MOST_SKIPPED = 400;

    private static final int STILL_ONCE_IN = 10;

    private static final List<Script> SCRIPTS = LuaMutator.scripts();
    /** The names of the scripts that plans of each kind have sent. */
    private static final Map<String, Set<String>> SENT = new HashMap<>();

    private static final Map<String, Integer> RUN = new HashMap<>();

    private GeneratedMutants() {}

    static Trial hunt(Mutant mutant, int mostSeconds) {
        long began = ProcessorTime.nanos();
        long before = Marks.passed();
        UnaryOperator<Script> change = mutant.change();
        Set<String> changed = SCRIPTS.stream()
                .filter(script -> change.apply(script) != script)
                .map(Script::name)
                .collect(Collectors.toSet());
        Survey survey = new Survey(change, changed);
        Turns plans = new Turns(changed);
        String instrument = "exploration";
        String check = survey.quickly();
        if (check == null) {
            instrument = "simulation";
            check = simulate(change, plans, mostSeconds / 3);
        }
        if (check == null) {
            instrument = "test of lock-core";
            check = ScriptTests.failing(mutant.unmarkedChange(), changed);
        }
        if (check == null) {
            instrument = "comparison with the previous version";
            check = changes(change, changed);
        }
        if (check == null) {
            instrument = "long exploration";
            check = survey.longer(MORE_SITUATIONS, ProcessorTime.in(mostSeconds / 3));
        }
        if (check == null) {
            instrument = "long simulation";
            check = simulate(change, plans, mostSeconds / 3);
        }
        long passed = Marks.passed() - before;
        if (check == null) {
            instrument = passed == 0 ? NOT_PASSED : difference(change, plans, mostSeconds / 3);
        }
        return new Trial(mutant, instrument, check, (ProcessorTime.nanos() - began) / 1e9, passed);
    }

    /** Does what MixedVersionsTest does at night. */
    private static @Nullable String changes(UnaryOperator<Script> change, Set<String> changed) {
        if (differsFromEarlier(change, changed)) {
            if (differsFromEarlier(UnaryOperator.identity(), changed)) {
                throw new IllegalStateException("Without the mutant, " + changed + " do not what they did");
            }
            return "a script does what it did";
        }
        return null;
    }

    private static boolean differsFromEarlier(UnaryOperator<Script> change, Set<String> changed) {
        VersionComparison comparison = new VersionComparison(
                change,
                script -> changed.contains(script.name()) && !PreviousScripts.NEW.contains(script.name()),
                CALLS_COMPARED);
        comparison.run(FLEETS_COMPARED);
        return !comparison.differences.isEmpty();
    }

    /** Returns what the mutant does that the product does not do, in the same states of Redis. No check has noticed it. */
    private static String difference(UnaryOperator<Script> change, Turns plans, int seconds) {
        String[] difference = {ALIKE};
        long end = ProcessorTime.in(seconds);
        while (difference[0].equals(ALIKE) && ProcessorTime.nanos() < end) {
            Simulation.run(plans.next(), server -> {
                Twin twin = new Twin(server);
                return (script, keys, args, execution) -> {
                    if (plans.changed.contains(script.name())
                            && difference[0].equals(ALIKE)
                            && server.refusal == NONE) {
                        Map<String, Object> data = server.copy();
                        Outcome right = twin.run(data, redis -> redis.run(script, keys, args));
                        String differs = twin.run(data, redis -> redis.run(change.apply(script), keys, args))
                                .differsIn(right);
                        difference[0] = differs.isEmpty() ? ALIKE : UNNOTICED + differs;
                    }
                    return execution.run(script, keys, args);
                };
            });
        }
        return difference[0];
    }

    /** Runs the plans after those that were run for this mutant before. */
    private static @Nullable String simulate(UnaryOperator<Script> change, Turns plans, int seconds) {
        String[] kind = {""};
        String promise = MutantHunt.hunt(
                        number -> {
                            Plan plan = plans.next();
                            kind[0] = kindOf(plan);
                            RUN.merge(kind[0], 1, Integer::sum);
                            return plan;
                        },
                        Integer.MAX_VALUE,
                        seconds,
                        MutantHunt::breaks,
                        server -> (script, keys, args, execution) -> {
                            SENT.computeIfAbsent(kind[0], any -> new HashSet<>())
                                    .add(script.name());
                            return execution.run(change.apply(script), keys, args);
                        })
                .promise();
        if (promise != null) {
            // It ended early, so it does not show what plans of its kind do not send.
            RUN.merge(kind[0], -1, Integer::sum);
        }
        return promise;
    }

    private static String kindOf(Plan plan) {
        return plan.profile() + " " + plan.kinds();
    }

    private static boolean sends(String kind, Set<String> changed) {
        return RUN.getOrDefault(kind, 0) < PLANS_OF_EACH
                || SENT.getOrDefault(kind, Set.of()).stream().anyMatch(changed::contains);
    }

    /** Chooses plans for a mutant: ordinary ones and each focus in turn. A focus whose plans do not pass the mutant's place is soon left out. */
    private static final class Turns {
        private static final Focus[] FOCUSES = Focus.values();

        private final Set<String> changed;
        private final int[] plans = new int[FOCUSES.length + 1];
        private final long[] passed = new long[FOCUSES.length + 1];
        private long number;
        private int latest;
        private long passedBefore;

        Turns(Set<String> changed) {
            this.changed = changed;
            this.passedBefore = Marks.passed();
        }

        Plan next() {
            passed[latest] += Marks.passed() - passedBefore;
            passedBefore = Marks.passed();
            Plan plan = following();
            for (int i = 0; i < MOST_SKIPPED && (isVain() || !sends(kindOf(plan), changed)); i++) {
                plan = following();
            }
            plans[latest]++;
            return plan;
        }

        private boolean isVain() {
            return plans[latest] >= PLANS_OF_EACH
                    && passed[latest] == 0
                    && LongStream.of(passed).sum() > 0
                    && number % STILL_ONCE_IN != 0;
        }

        private Plan following() {
            number++;
            int turn = (int) (number % (2 * FOCUSES.length));
            latest = Math.min(turn, FOCUSES.length);
            return turn < FOCUSES.length ? FocusedPlanner.of(number, FOCUSES[turn]) : Planner.of(number);
        }
    }
}
