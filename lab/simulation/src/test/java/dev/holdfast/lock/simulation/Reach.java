package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.simulation.LockSpec.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What plans run. Some plans with each combination of kinds of locks are run, and the scripts that they sent and the classes that they loaded are
 * noted. So a hunt leaves out the plans that do not run the mutant's code, and nobody keeps a list of which file serves which kind.
 */
public final class Reach {

    private static final int SAMPLED_SEEDS = 200;
    private static final int PLANS_OF_EACH = 2;

    private static Map<String, Set<Script>> scripts = Map.of();
    private static Map<String, MutantLoader> loaders = Map.of();

    private Reach() {}

    static String of(Set<Kind> kinds) {
        return kinds.stream().map(Kind::name).collect(Collectors.joining("+"));
    }

    /** Returns the combinations of kinds whose plans do not run the mutant's code; none if no sampled plan runs it. */
    static synchronized Set<String> missedBy(Mutant mutant) {
        return mutant.isScript()
                ? missed(
                        scripts(),
                        sent -> sent.stream()
                                .anyMatch(
                                        script -> !mutant.changed(script).text().equals(script.text())))
                : missed(loaders(), loader -> loader.hasLoaded(mutant.className()));
    }

    private static <T> Set<String> missed(Map<String, T> reached, Predicate<T> runs) {
        Set<String> missed = new HashSet<>();
        reached.forEach((kinds, what) -> {
            if (!runs.test(what)) {
                missed.add(kinds);
            }
        });
        return missed.size() == reached.size() ? Set.of() : missed;
    }

    private static Map<String, List<Long>> samples() {
        Map<String, List<Long>> samples = new LinkedHashMap<>();
        for (long seed = 1; seed <= SAMPLED_SEEDS; seed++) {
            List<Long> seeds = samples.computeIfAbsent(of(Planner.of(seed).kinds()), any -> new ArrayList<>());
            if (seeds.size() < PLANS_OF_EACH) {
                seeds.add(seed);
            }
        }
        return samples;
    }

    private static Map<String, Set<Script>> scripts() {
        if (scripts.isEmpty()) {
            scripts = new LinkedHashMap<>();
            samples().forEach((kinds, seeds) -> {
                Set<Script> sent = scripts.computeIfAbsent(kinds, any -> new HashSet<>());
                seeds.forEach(seed -> Simulation.run(Planner.of(seed), server -> (script, keys, args, execution) -> {
                    sent.add(script);
                    return execution.run(script, keys, args);
                }));
            });
        }
        return scripts;
    }

    private static Map<String, MutantLoader> loaders() {
        if (loaders.isEmpty()) {
            loaders = new LinkedHashMap<>();
            samples().forEach((kinds, seeds) -> {
                MutantLoader loader = new MutantLoader();
                loaders.put(kinds, loader);
                loader.call(Reach.class, "run", seeds.get(0).toString());
            });
        }
        return loaders;
    }

    /** Runs a plan where this class was loaded anew. */
    public static String run(String seed) {
        return String.valueOf(
                Simulation.run(Planner.of(Long.parseLong(seed)), false).violation());
    }
}
