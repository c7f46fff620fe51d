package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each fault that is put into the connections is found. Takes minutes; the profile {@code mutants} runs it. */
class WireMutantsTest {

    private static final int MOST_PLANS = Integer.getInteger("mutants.plans", 2_000);
    private static final int MOST_SECONDS = Integer.getInteger("mutants.seconds", 300);

    static List<Mutant> mutants() {
        String only = System.getProperty("mutants.only", "");
        return WireMutants.ALL.stream()
                .filter(mutant -> mutant.toString().contains(only))
                .toList();
    }

    @Tag("mutants")
    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("mutants")
    void aMutantIsFound(Mutant mutant) {
        MutantHunt.Found found = MutantHunt.huntOnWire(mutant, MOST_PLANS, MOST_SECONDS);

        MutantsTest.report(mutant, found);
        assertThat(found.promise()).as(mutant + ": " + found).isNotNull();
    }

    /** The hunts take too long for each build. */
    @ParameterizedTest
    @MethodSource("mutants")
    void itsTextStandsThere(Mutant mutant) {
        assertThat(mutant.changed()).contains(mutant.replacement());
    }
}
