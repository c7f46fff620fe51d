package dev.holdfast.lock.explore;

import dev.holdfast.lock.explore.Explorer.Explored;
import dev.holdfast.lock.explore.Scenario.Fault;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.simulation.EngineMutants;
import dev.holdfast.lock.simulation.ScriptMutants;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Looks for the shortest story of a scenario in which a fault that was put in breaks a promise. */
public final class MutantSearch {

    /**
     * Where a mutant is found.
     *
     * @param fault what may go wrong, once each: names separated by spaces; empty for nothing
     * @param moments how many times time may pass
     * @param situations how many situations are visited at most
     */
    record Place(String scenario, String fault, int moments, int situations) {

        Scenario toScenario() {
            Set<Fault> faults = EnumSet.noneOf(Fault.class);
            names().forEach(name -> faults.add(Fault.valueOf(name)));
            return Scenarios.named(scenario).with(faults, names().size(), moments);
        }

        private List<String> names() {
            return fault.isEmpty() ? List.of() : List.of(fault.split(" "));
        }
    }

    /** What was found: the promise that was broken, empty if none was; how many steps its story has; and how many situations were visited. */
    record Found(String promise, int steps, int situations) {}

    /** The number of situations ends a search. This ends one that hangs, also on a busy machine. */
    private static final int MOST_SECONDS = 600;

    private static final Map<String, UnaryOperator<Script>> SCRIPTS = ScriptMutants.changes();

    private MutantSearch() {}

    static Found search(String mutant, Place place) {
        UnaryOperator<Script> change = SCRIPTS.get(mutant);
        String[] found = (change != null
                        ? explore(place, change)
                        : EngineMutants.call(
                                mutant,
                                MutantSearch.class,
                                "explore",
                                place.scenario,
                                place.fault,
                                Integer.toString(place.moments),
                                Integer.toString(place.situations)))
                .split("/");
        return new Found(found[0], Integer.parseInt(found[1]), Integer.parseInt(found[2]));
    }

    /** Fails if the scenario breaks a promise without the mutant: whatever is found there is not known to be the mutant's. */
    static void checkWithout(Scenario scenario, int situations) {
        Explored explored = Explorer.explore(scenario, UnaryOperator.identity(), situations, MOST_SECONDS);
        if (explored.promise() != null) {
            throw new IllegalStateException(scenario.name() + " " + scenario.faults()
                    + " breaks a promise without the mutant: " + explored.promise());
        }
    }

    /** The same where this class was loaded with the mutant: the caller's has other types. */
    public static String explore(String scenario, String fault, String moments, String situations) {
        return explore(
                new Place(scenario, fault, Integer.parseInt(moments), Integer.parseInt(situations)),
                UnaryOperator.identity());
    }

    private static String explore(Place place, UnaryOperator<Script> change) {
        Explored explored = Explorer.explore(place.toScenario(), change, place.situations, MOST_SECONDS);
        String promise = explored.promise() == null ? "" : explored.promise().replace('/', ' ');
        return promise + "/" + explored.steps() + "/" + explored.states();
    }
}
