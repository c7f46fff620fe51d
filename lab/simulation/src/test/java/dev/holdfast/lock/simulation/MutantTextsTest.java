package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a mutant replaces stands in its file still. The hunts for them take too long for each build. */
class MutantTextsTest {

    static Stream<Mutant> mutants() {
        return Stream.of(
                        MutantsTest.mutants().stream(),
                        ScriptMutants.EXPLORED.stream(),
                        SceneMutants.ALL.stream().map(SceneMutants.Race::mutant))
                .flatMap(mutants -> mutants);
    }

    static Stream<Mutant> changesOfThreads() {
        return SceneMutants.NO_IDLE_THREADS.stream();
    }

    /** They replace what is outside methods, and no hunt looks for them, so they have no marks. */
    @ParameterizedTest
    @MethodSource("changesOfThreads")
    void theTextOfAChangeStandsThere(Mutant change) {
        assertThat(change.changed()).contains(change.replacement());
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void itsTextStandsThere(Mutant mutant) {
        assertThat(mutant.changed()).contains(mutant.replacement());
        assertThat(mutant.marked()).contains(mutant.isScript() ? Marks.IN_SCRIPT : Marks.IN_SOURCE);
    }
}
