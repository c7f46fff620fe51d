package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each fault that is put in is found. The hunts take minutes, so only the profile {@code mutants} runs them. */
class MutantsTest {

    private static final int MOST_PLANS = Integer.getInteger("mutants.plans", 2_000);

    /** What the names or the files of the mutants to run contain. */
    private static final String ONLY = System.getProperty("mutants.only", "");

    static Stream<Mutant> mutants() {
        return Stream.of(ScriptMutants.ALL, EngineMutants.ALL, GraceMutants.ALL)
                .flatMap(List::stream)
                .filter(mutant -> mutant.toString().contains(ONLY));
    }

    static Stream<Mutant> ofConnections() {
        return WireMutants.ALL.stream().filter(mutant -> mutant.toString().contains(ONLY));
    }

    static Stream<Mutant> all() {
        return Stream.of(
                        mutants(),
                        ofConnections(),
                        ScriptMutants.EXPLORED.stream(),
                        SceneMutants.ALL.stream().map(SceneMutants.Race::mutant))
                .flatMap(mutants -> mutants);
    }

    static List<Mutant> changesOfThreads() {
        return SceneMutants.NO_IDLE_THREADS;
    }

    @Tag("mutants")
    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("mutants")
    void aMutantIsFound(Mutant mutant) {
        assertFound(mutant, MutantHunt.hunt(mutant, MOST_PLANS, mostSeconds(120)));
    }

    @Tag("mutants")
    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("ofConnections")
    void aMutantOfConnectionsIsFound(Mutant mutant) {
        assertFound(mutant, MutantHunt.huntOnWire(mutant, MOST_PLANS, mostSeconds(300)));
    }

    private static int mostSeconds(int usual) {
        return Integer.getInteger("mutants.seconds", usual);
    }

    private static void assertFound(Mutant mutant, MutantHunt.Found found) {
        System.out.println(
                "| " + mutant.name() + " | `" + mutant.file() + "` | " + found.plans() + " | " + found + " |");
        assertThat(found.promise()).as(mutant + ": " + found).isNotNull();
    }

    /** What a mutant replaces stands in its file still. */
    @ParameterizedTest
    @MethodSource("all")
    void itsTextStandsThere(Mutant mutant) {
        assertThat(mutant.changed()).contains(mutant.replacement());
        assertThat(mutant.marked()).contains(mutant.isScript() ? Marks.IN_SCRIPT : Marks.IN_SOURCE);
    }

    /** They replace what is outside methods, and no hunt looks for them, so they have no marks. */
    @ParameterizedTest
    @MethodSource("changesOfThreads")
    void theTextOfAChangeStandsThere(Mutant change) {
        assertThat(change.changed()).contains(change.replacement());
    }
}
