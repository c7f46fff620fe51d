package dev.holdfast.lock.explore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.simulation.ScriptMutants;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults that are put into scripts break promises in the exploration. All of them take minutes; the profile {@code mutants} runs them. */
class ExploredMutantsTest {

    private static final Map<String, UnaryOperator<Script>> MUTANTS = ScriptMutants.changes();

    /** What the names of the mutants to run contain. */
    private static final String ONLY = System.getProperty("mutants.only", "");

    /** Those that were found within the bounds. The page says which bound is in the way of the others. */
    private static final List<String> FOUND = List.of(
            "a held lock is granted to who asks",
            "a lock is taken without an end",
            "every grant has the same token",
            "an owner that asks again is refused its own grant",
            "an owner that gets the lock stays in the queue",
            "who waits does not enter the queue",
            "a release serves nobody",
            "a release does not free",
            "a minimum hold is not kept",
            "a grant by a release has no end",
            "a grant by a release is not told",
            "who is granted the lock stays in the queue",
            "a grant by a release draws no token",
            "the keys of a queue have no end",
            "a renewal changes nothing",
            "a semaphore counts one permit less",
            "a release of a permit serves nobody",
            "a permit is not released",
            "a renewal of a permit changes nothing",
            "readers enter beside a writer",
            "a writer enters beside readers",
            "a reader's hold is not removed",
            "a release of a read/write lock tells nobody in the queue",
            "a read/write lock is renewed without its holds",
            "several names: the second has no end",
            "several names: a release serves nobody",
            "a read/write lock ends before its longest hold",
            "a permit is written without its token",
            "a semaphore is noted as a plain one");

    static Stream<String> mutants() {
        return FOUND.stream().filter(name -> name.contains(ONLY));
    }

    @Tag("mutants")
    @ParameterizedTest
    @MethodSource("mutants")
    void aMutantIsFound(String mutant) {
        MutantSearch.Found found = search(mutant);

        Explorer.Explored explored = found.explored();
        System.out.println(String.format(
                Locale.ROOT,
                "| %s | %s | %s | %,d | %s |",
                mutant,
                explored == null ? "" : explored.scenario(),
                explored == null ? "" : explored.steps(),
                found.states(),
                explored == null ? "not found" : explored.promise()));
        assertThat(explored).as(mutant).isNotNull();
    }

    /** One of each script that can be found at once. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a lock is taken without an end",
                "a renewal changes nothing",
                "the keys of a queue have no end",
                "a grant by a release draws no token",
                "a semaphore counts one permit less",
                "a permit is not released",
                "a writer enters beside readers",
                "a release of a read/write lock tells nobody in the queue",
                "several names: a release serves nobody"
            })
    void aSampleIsFound(String mutant) {
        assertThat(search(mutant).explored()).as(mutant).isNotNull();
    }

    private static MutantSearch.Found search(String mutant) {
        String name = MUTANTS.keySet().stream()
                .filter(known -> known.startsWith(mutant + " ("))
                .findFirst()
                .orElseThrow();
        return MutantSearch.search(MUTANTS.get(name));
    }
}
