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

    private static final int MOST_SEEDS = Integer.getInteger("mutants.seeds", 1_500);

    static List<Mutant> mutants() {
        return Stream.concat(ScriptMutants.ALL.stream(), EngineMutants.ALL.stream())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void aMutantIsFound(Mutant mutant) {
        String found = MutantHunt.hunt(mutant, MOST_SEEDS);

        System.out.println("| " + mutant.name() + " | `" + mutant.file() + "` | "
                + (found == null ? "not found" : found.replace("|", " | ")) + " |");
        assertThat(found).as(mutant.toString()).isNotNull();
    }
}
