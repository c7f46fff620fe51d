package dev.holdfast.lock.explore;

import dev.holdfast.lock.explore.Explorer.Explored;
import dev.holdfast.lock.explore.Scenario.Fault;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.simulation.Marks;
import dev.holdfast.lock.simulation.ProcessorTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Looks for a scenario in which a fault of a script breaks a promise, in little time: in all scenarios, and in none for long. */
public final class Survey {

    /** Situations of each scenario in which nothing goes wrong, in the first round. Scenarios that do not pass the fault's place are left out then. */
    private static final int FIRST = 60;

    private static final int MOMENTS = 6;

    /** The number of situations ends a search. This ends one that hangs, also on a busy machine. */
    private static final int MOST_SECONDS = 600;

    /** The names of the scripts that the clients of each scenario have sent. */
    private static final Map<String, Set<String>> SENT = new HashMap<>();

    /** The scenarios that pass the fault's place. */
    private final List<Scenario> passing = new ArrayList<>();

    private final UnaryOperator<Script> change;
    private final Set<String> changed;

    /** Creates one for a fault that changes the scripts with these names. */
    public Survey(UnaryOperator<Script> change, Set<String> changed) {
        this.change = change;
        this.changed = changed;
    }

    /** Visits a few situations of each scenario. Returns the promise that is broken; null if none is. */
    public @Nullable String quickly() {
        for (Scenario scenario : Scenarios.faultless(MOMENTS)) {
            if (Collections.disjoint(SENT.getOrDefault(scenario.name(), changed), changed)) {
                continue;
            }
            long before = Marks.passed();
            String broken = explore(scenario, FIRST);
            if (broken != null) {
                return broken;
            }
            if (Marks.passed() > before) {
                passing.add(scenario);
            }
        }
        return null;
    }

    /** Visits more situations of those that pass the place, and then all with one fault, as long as there is time. */
    public @Nullable String longer(int situations, long endNanos) {
        for (Scenario scenario : passing) {
            String broken = ProcessorTime.nanos() < endNanos ? explore(scenario, situations) : null;
            if (broken != null) {
                return broken;
            }
        }
        for (Fault fault : Fault.values()) {
            for (Scenario scenario : Scenarios.all(Set.of(fault), 1, MOMENTS)) {
                boolean isWorth = ProcessorTime.nanos() < endNanos && (isPassing(scenario) || passes(scenario));
                String broken = isWorth ? explore(scenario, situations) : null;
                if (broken != null) {
                    return broken;
                }
            }
        }
        return null;
    }

    private boolean isPassing(Scenario scenario) {
        return passing.stream().anyMatch(one -> one.name().equals(scenario.name()));
    }

    private boolean passes(Scenario scenario) {
        long before = Marks.passed();
        explore(scenario, FIRST);
        return Marks.passed() > before;
    }

    private @Nullable String explore(Scenario scenario, int situations) {
        Set<String> sent = new HashSet<>();
        UnaryOperator<Script> noted = script -> {
            sent.add(script.name());
            return change.apply(script);
        };
        Explored explored;
        try {
            explored = Explorer.explore(scenario, noted, situations, MOST_SECONDS);
        } catch (RuntimeException | Error problem) {
            MutantSearch.checkWithout(scenario, situations);
            return "the exploration itself goes on: " + problem;
        }
        if (explored.promise() != null) {
            MutantSearch.checkWithout(scenario, explored.states());
            return explored.promise() + ": " + scenario.name() + " " + scenario.faults();
        }
        // Only now: a fault that is found at once ends the search before the later scripts.
        SENT.computeIfAbsent(scenario.name(), any -> new HashSet<>()).addAll(sent);
        return null;
    }
}
