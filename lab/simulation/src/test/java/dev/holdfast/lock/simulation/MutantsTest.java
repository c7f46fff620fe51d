package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each fault that is put in is found. Takes minutes; the profile {@code mutants} runs it. */
@Tag("mutants")
class MutantsTest {

    private static final int MOST_PLANS = Integer.getInteger("mutants.plans", 2_000);
    private static final int MOST_SECONDS = Integer.getInteger("mutants.seconds", 120);

    /** What the names or the files of the mutants to run contain. */
    private static final String ONLY = System.getProperty("mutants.only", "");

    static List<Mutant> mutants() {
        return Stream.of(ScriptMutants.ALL, EngineMutants.ALL, GraceMutants.ALL)
                .flatMap(List::stream)
                .filter(mutant -> mutant.toString().contains(ONLY))
                .toList();
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("mutants")
    void aMutantIsFound(Mutant mutant) {
        MutantHunt.Found found = MutantHunt.hunt(mutant, MOST_PLANS, MOST_SECONDS);

        report(mutant, found);
        assertThat(found.promise()).as(mutant + ": " + found).isNotNull();
    }

    static void report(Mutant mutant, MutantHunt.Found found) {
        System.out.println(
                "| " + mutant.name() + " | `" + mutant.file() + "` | " + found.plans() + " | " + found + " |");
    }
}
