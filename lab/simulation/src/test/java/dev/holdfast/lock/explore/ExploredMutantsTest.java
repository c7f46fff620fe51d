package dev.holdfast.lock.explore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.explore.MutantSearch.Found;
import dev.holdfast.lock.explore.MutantSearch.Place;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Faults that are put in break promises in the exploration. All of them take minutes; the profile {@code mutants} runs them. */
class ExploredMutantsTest {

    /** What the names of the mutants to run contain. */
    private static final String ONLY = System.getProperty("mutants.only", "");

    /** Mutants within so many situations are found in each build. Those of sources need a compiler and new classes, and take longer. */
    private static final int AT_ONCE = 500;

    static Stream<Map.Entry<String, Place>> mutants() {
        return MutantPlaces.ALL.entrySet().stream()
                .filter(entry -> entry.getKey().contains(ONLY));
    }

    static Stream<Map.Entry<String, Place>> sample() {
        return MutantPlaces.ALL.entrySet().stream()
                .filter(entry -> entry.getValue().situations() <= AT_ONCE);
    }

    @Tag("mutants")
    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("mutants")
    void aMutantIsFound(Map.Entry<String, Place> mutant) {
        Place place = mutant.getValue();
        Found found = MutantSearch.search(mutant.getKey(), place);
        System.out.println(String.format(
                Locale.ROOT,
                "| %s | %d | %,d | %s | %s | %s |",
                mutant.getKey(),
                found.steps(),
                found.situations(),
                place.scenario(),
                place.fault().toLowerCase(Locale.ROOT).replace('_', ' '),
                found.promise()));
        assertThat(found.promise()).as(mutant.getKey()).isNotEmpty();
        MutantSearch.checkWithout(place.toScenario(), found.situations());
    }

    @ParameterizedTest
    @MethodSource("sample")
    void aSampleIsFound(Map.Entry<String, Place> mutant) {
        assertThat(MutantSearch.search(mutant.getKey(), mutant.getValue()).promise())
                .as(mutant.getKey())
                .isNotEmpty();
    }
}
