package dev.holdfast.lock.spring.cost;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;

/** The lines of Holdfast that were executed, by file, in the order in which the files were entered first. */
record Executed(Map<String, Set<Integer>> linesByFile) {

    private static final int WARM = 3;
    private static final int ROUNDS = 5;

    /** What each warm round executes. What is not measured is done before or after it. */
    static Executed repeated(Callable<Executed> round) throws Exception {
        for (int i = 0; i < WARM; i++) {
            round.call();
        }
        Executed common = round.call();
        for (int i = 1; i < ROUNDS; i++) {
            common = common.and(round.call());
        }
        return common;
    }

    int files() {
        return linesByFile.size();
    }

    int lines() {
        return linesByFile.values().stream().mapToInt(Set::size).sum();
    }

    /** What both have in common: a path, without what happened beside it by chance. */
    Executed and(Executed other) {
        Map<String, Set<Integer>> common = new LinkedHashMap<>();
        linesByFile.forEach((file, lines) -> {
            Set<Integer> both = new TreeSet<>(lines);
            both.retainAll(other.linesByFile.getOrDefault(file, Set.of()));
            if (!both.isEmpty()) {
                common.put(file, both);
            }
        });
        return new Executed(common);
    }

    Executed or(Executed other) {
        Map<String, Set<Integer>> all = new LinkedHashMap<>(linesByFile);
        other.linesByFile.forEach((file, lines) -> all.merge(file, lines, (mine, theirs) -> {
            Set<Integer> both = new TreeSet<>(mine);
            both.addAll(theirs);
            return both;
        }));
        return new Executed(all);
    }

    /** What this executes in files of which another path executes nothing. */
    Executed withoutFilesOf(Executed other) {
        Map<String, Set<Integer>> more = new LinkedHashMap<>(linesByFile);
        more.keySet().removeAll(other.linesByFile.keySet());
        return new Executed(more);
    }

    /** What this executes on top of another path. */
    Executed without(Executed other) {
        Map<String, Set<Integer>> more = new LinkedHashMap<>();
        linesByFile.forEach((file, lines) -> {
            Set<Integer> rest = new TreeSet<>(lines);
            rest.removeAll(other.linesByFile.getOrDefault(file, Set.of()));
            if (!rest.isEmpty()) {
                more.put(file, rest);
            }
        });
        return new Executed(more);
    }
}
