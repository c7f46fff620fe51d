package dev.holdfast.lock.explore;

import dev.holdfast.lock.explore.Explorer.Explored;
import dev.holdfast.lock.explore.Scenario.Fault;
import dev.holdfast.lock.internal.connection.Script;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Looks for a story in which a changed script breaks a promise, in the scenarios that run the script. The first rounds are short. */
final class MutantSearch {

    /** The result: the scenario that broke a promise, null if none did, and the situations that were visited in all scenarios. */
    record Found(@Nullable Explored explored, int states) {}

    /** How many things may go wrong, how often time may pass, and how many situations are visited in each scenario. */
    private record Round(int faults, int moments, int states) {}

    private static final List<Round> ROUNDS = List.of(
            new Round(0, 4, 300),
            new Round(0, 6, 3_000),
            new Round(1, 6, 3_000),
            new Round(0, 9, 12_000),
            new Round(1, 9, 20_000));

    private static final int MOST_SECONDS = 60;
    private static final int STATES_FOR_REACH = 300;
    private static final Map<String, Set<Script>> SCRIPTS = new HashMap<>();

    private MutantSearch() {}

    static Found search(UnaryOperator<Script> mutant) {
        int states = 0;
        for (Round round : ROUNDS) {
            List<Set<Fault>> faults = round.faults == 0
                    ? List.of(EnumSet.noneOf(Fault.class))
                    : EnumSet.allOf(Fault.class).stream()
                            .<Set<Fault>>map(EnumSet::of)
                            .toList();
            for (Set<Fault> allowed : faults) {
                for (Scenario scenario : Scenarios.all(allowed, round.faults, round.moments)) {
                    if (runs(scenario, mutant)) {
                        Explored explored = Explorer.explore(scenario, mutant, round.states, MOST_SECONDS);
                        states += explored.states();
                        if (explored.promise() != null) {
                            return new Found(explored, states);
                        }
                    }
                }
            }
        }
        return new Found(null, states);
    }

    private static boolean runs(Scenario scenario, UnaryOperator<Script> mutant) {
        Set<Script> run = SCRIPTS.computeIfAbsent(scenario.name(), name -> {
            Set<Script> seen = new HashSet<>();
            UnaryOperator<Script> noting = script -> {
                seen.add(script);
                return script;
            };
            Explorer.explore(scenario, noting, STATES_FOR_REACH, MOST_SECONDS);
            return seen;
        });
        return run.stream().anyMatch(script -> mutant.apply(script) != script);
    }
}
