package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a mutant replaces stands in its file still. The hunts for them take too long for each build. */
class MutantTextsTest {

    @ParameterizedTest
    @MethodSource("dev.holdfast.lock.simulation.MutantsTest#mutants")
    void itsTextStandsThere(Mutant mutant) {
        assertThat(mutant.changed()).contains(mutant.replacement());
    }
}
