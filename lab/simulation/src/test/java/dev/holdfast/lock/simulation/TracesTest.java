package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.testing.Nightly;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * TLC checks that runs of a plain lock are behaviors of the model, {@code docs/contributing/model/Lock.tla}. It refuses runs of changed scripts,
 * and a changed model refuses runs. {@code -Dtraces=} sets the number of runs.
 */
class TracesTest {

    private static final int RUNS = Integer.getInteger("traces", 24);

    /** The number of runs that one start of TLC checks. */
    private static final int BATCH = 200;

    private static final int MOST_EVENTS = 250;

    /** The product's logger. The log manager forgets loggers that nobody refers to, and their levels. */
    private static final Logger SILENT = Logger.getLogger("dev.holdfast.lock");

    /** Runs of which each change of a script or of the model makes at least one be refused. */
    private static final List<Long> SEEDS = List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L);

    /**
     * Changes of scripts that break what the model promises. Other changes leave a waiter alone for a while, which the model allows, or need a minimum
     * hold or a loss of data.
     */
    private static final Set<String> SCRIPT_MUTANTS = Set.of(
            "a held lock is granted to who asks",
            "an owner that gets the lock stays in the queue",
            "who waits does not enter the queue",
            "a release frees the lock of any holder",
            "a renewal changes nothing",
            "a grant by a release is not told",
            "a grant by a release draws no token");

    /** A model in which a rule of the real lock is missing. */
    private record ModelMutant(String name, String text, String replacement) {

        String change(String model) {
            assertThat(model).as(name).containsOnlyOnce(text);
            return model.replace(text, replacement);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static List<ModelMutant> modelMutants() {
        return List.of(
                new ModelMutant(
                        "a release serves nobody",
                        "    \\/ \\E p \\in places : GrantTo(p) /\\ line' = places \\ {p}\n",
                        ""),
                new ModelMutant("a renewal changes nothing", "!.l = Max(@, q.l)]", "!.l = @]"));
    }

    @BeforeAll
    static void logNothing() {
        SILENT.setLevel(Level.OFF);
    }

    private static ModelTrace.Run run(long seed, UnaryOperator<Script> change) {
        ModelTrace trace = new ModelTrace(MOST_EVENTS, change);
        Simulation.run(TracePlanner.of(seed), trace);
        return trace.run();
    }

    private static List<ModelTrace.Run> runs(List<Long> seeds) {
        return seeds.stream().map(seed -> run(seed, UnaryOperator.identity())).toList();
    }

    @Test
    void theModelAllowsWhatRunsDo() throws Exception {
        long first = NewSeedsTest.firstSeed();
        System.out.println("traces: seeds from " + first);
        for (long from = first; from < first + RUNS; from += BATCH) {
            List<Long> seeds = LongStream.range(from, Math.min(from + BATCH, first + RUNS))
                    .boxed()
                    .toList();
            List<ModelTrace.Run> runs = runs(seeds);

            List<Integer> refused = Tlc.refused(runs, UnaryOperator.identity());

            assertThat(refused)
                    .as(() -> "seed " + seeds.get(refused.get(0)) + ", the last line is not allowed:\n"
                            + Tlc.explain(runs.get(refused.get(0))))
                    .isEmpty();
        }
    }

    @Test
    @Nightly(inEachBuild = "the model allows what runs do, and MutantTextsTest")
    void onlyRunsOfChangedScriptsAreRefused() {
        List<Mutant> mutants = ScriptMutants.ALL.stream()
                .filter(mutant -> SCRIPT_MUTANTS.contains(mutant.name()))
                .toList();
        List<String> names = new ArrayList<>();
        List<ModelTrace.Run> runs = new ArrayList<>();
        for (long seed : SEEDS) {
            names.add("no change");
            runs.add(run(seed, UnaryOperator.identity()));
        }
        for (Mutant mutant : mutants) {
            UnaryOperator<Script> change = mutant.change();
            for (long seed : SEEDS) {
                names.add(mutant.name());
                runs.add(run(seed, change));
            }
        }

        Set<String> found = Tlc.refused(runs, UnaryOperator.identity()).stream()
                .map(names::get)
                .collect(Collectors.toSet());

        assertThat(found).isEqualTo(SCRIPT_MUTANTS);
    }

    @ParameterizedTest
    @MethodSource("modelMutants")
    @Nightly(inEachBuild = "the model allows what runs do")
    void aChangedModelRefusesRuns(ModelMutant mutant) {
        assertThat(Tlc.refused(runs(SEEDS), mutant::change)).isNotEmpty();
    }
}
