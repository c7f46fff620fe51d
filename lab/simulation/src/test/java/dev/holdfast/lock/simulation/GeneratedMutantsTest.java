package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.simulation.GeneratedMutants.Trial;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Draws faults of the scripts by seed, and hunts them: {@code lab/run generated -Dgenerate=300 -Dseed=1}. */
class GeneratedMutantsTest {

    private static final int COUNT = Integer.getInteger("generate", 60);
    private static final long SEED = Long.getLong("seed", 1);
    private static final int MOST_SECONDS = Integer.getInteger("mutants.seconds", 12);
    private static final int LEAST_PERCENT = Integer.getInteger("mutants.percent", 95);
    private static final String ONLY = System.getProperty("mutants.only", "");

    @Tag("generated")
    @Test
    void mutantsOfADrawAreFound() {
        List<Trial> trials = new ArrayList<>();
        for (Mutant mutant : LuaMutator.draw(SEED, COUNT)) {
            if (mutant.name().contains(ONLY)) {
                Trial trial = GeneratedMutants.hunt(mutant, MOST_SECONDS);
                System.out.println(trial);
                trials.add(trial);
            }
        }
        System.out.println("\n" + count(trials.stream(), Trial::outcome) + "\n\nNeither found nor explained: "
                + count(trials.stream().filter(trial -> !trial.isFound() && !trial.isExplained()), Trial::group)
                + "\n\n" + byPromise(trials));
        long known = trials.stream()
                .filter(trial -> trial.isFound() || trial.isExplained())
                .count();
        assertThat(trials).isNotEmpty();
        assertThat(100 * known / trials.size())
                .as("percent of the mutants that are found or explained")
                .isGreaterThanOrEqualTo(LEAST_PERCENT);
    }

    private static Map<String, Long> count(Stream<Trial> trials, Function<Trial, String> by) {
        return trials.collect(Collectors.groupingBy(by, TreeMap::new, Collectors.counting()));
    }

    /** Returns a table of the promises, with the checks that can fail for each, and how many mutants each check caught. */
    static String byPromise(List<Trial> trials) {
        Map<String, Long> caught = trials.stream()
                .filter(Trial::isFound)
                .collect(Collectors.groupingBy(Trial::checkAlone, Collectors.counting()));
        StringBuilder table = new StringBuilder("| promise | check | mutants |\n| --- | --- | ---: |\n");
        for (Promise promise : Promise.values()) {
            for (String check : promise.checks()) {
                table.append("| ")
                        .append(promise.number() == 0 ? "" : promise.number())
                        .append(" | ")
                        .append(check)
                        .append(" | ")
                        .append(caught.getOrDefault(check, 0L))
                        .append(" |\n");
            }
        }
        return table.toString();
    }
}
