package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.simulation.MutantHunt.Found;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the mutator makes, and that a hunt says how often it passed the place of a mutant. */
class LuaMutatorTest {

    @Test
    void statementsConditionsNumbersAndArgumentsAreChanged() {
        assertThat(LuaMutator.of("lib/enter.lua"))
                .extracting(Mutant::name)
                .contains(
                        "lib/enter.lua: redis.call('pexpire', queue.places, rest) ⇒ ",
                        "lib/enter.lua: if not done then ⇒ if not (not done) then",
                        "lib/enter.lua: redis.call('pexpire', queue.deadlines, rest) ⇒ redis.call('pexpire', rest, queue.deadlines)",
                        "lib/enter.lua: return near and 1 or 0, entered ⇒ return near or 1 or 0, entered",
                        "lib/enter.lua: return near and 1 or 0, entered ⇒ return near and 2 or 0, entered");
        assertThat(LuaMutator.of("renew.lua"))
                .extracting(Mutant::name)
                .contains("renew.lua: if given <= asked or redis.call('pttl', key) < asked then ⇒"
                        + " if given < asked or redis.call('pttl', key) < asked then");
    }

    @Test
    void aSeedDrawsTheSameMutantsAndEachChangesAScript() {
        List<Mutant> drawn = LuaMutator.draw(3, 12);

        assertThat(LuaMutator.draw(3, 12)).isEqualTo(drawn);
        List<Script> scripts = LuaMutator.scripts();
        assertThat(drawn).allSatisfy(mutant -> {
            assertThat(mutant.marked()).contains(Marks.IN_SCRIPT);
            assertThat(scripts.stream().map(mutant.change()::apply)).isNotEqualTo(scripts);
        });
    }

    @Test
    void aHuntThatDoesNotPassThePlaceSaysSo() {
        Mutant elsewhere = new Mutant(
                "a permit is not released",
                "semaphore-release.lua",
                "elseif ends then\n  redis.call('hdel', lock, owner)\n",
                "elseif ends then\n",
                Focus.THREADS);

        Found found = MutantHunt.hunt(elsewhere, 5, 60);

        assertThat(found.passed()).isZero();
        assertThat(found).hasToString("not found: no plan passes its place");
    }

    private static final Mutant FAILING = new Mutant(
            "a plain lock cannot be acquired",
            "acquire.lua",
            "local lock = KEYS[1]\n",
            "local lock = nil .. KEYS[1]\n");

    @Test
    void aScriptThatFailsByItselfIsFound() {
        assertThat(MutantHunt.hunt(FAILING, 20, 60).promise()).isEqualTo("a script ends with an answer");
    }

    @Test
    void aScriptThatHasNoEndIsFound() {
        Mutant endless = new Mutant(
                "a plain lock is looked at forever",
                "acquire.lua",
                "local lock = KEYS[1]\n",
                "local lock = KEYS[1]\nwhile true do redis.call('exists', lock) end\n");

        assertThat(MutantHunt.hunt(endless, 20, 60).promise()).isEqualTo("the simulation itself goes on");
    }

    @Test
    void aCheckThatFailsInACallIsFound() {
        Mutant unreadable = new Mutant(
                "a record's text begins too early",
                "lib/record.lua",
                "string.sub(found, colon + 1)",
                "string.sub(found, colon - 1)",
                Focus.RECORDS);

        assertThat(MutantHunt.hunt(unreadable, 20, 60).promise()).isEqualTo("the simulation itself goes on");
    }

    @Test
    void aHuntFailsIfAPlanBreaksAPromiseWithoutTheMutant() {
        assertThatThrownBy(
                        () -> MutantHunt.hunt(Planner::of, 3, 60, plan -> true, MutantHunt.replacing(FAILING.change())))
                .hasMessageContaining("without the mutant: a script ends with an answer");
    }

    @Test
    void aHuntFailsIfAPlanThatDoesNotPassThePlaceBreaksAPromise() {
        assertThatThrownBy(() -> MutantHunt.hunt(
                        Planner::of, 3, 60, plan -> false, MutantHunt.replacing(FAILING.unmarkedChange())))
                .hasMessageContaining("without the mutant");
    }
}
