package dev.holdfast.lock.spring.cost;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The lines of Holdfast that were executed, by file. */
record Executed(Map<String, Set<Integer>> linesByFile) {

    int files() {
        return linesByFile.size();
    }

    int lines() {
        return linesByFile.values().stream().mapToInt(Set::size).sum();
    }

    /** What both have in common: a path, without what happened beside it by chance. */
    Executed and(Executed other) {
        Map<String, Set<Integer>> common = new TreeMap<>();
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
        Map<String, Set<Integer>> all = new TreeMap<>(linesByFile);
        other.linesByFile.forEach((file, lines) -> all.merge(file, lines, (mine, theirs) -> {
            Set<Integer> both = new TreeSet<>(mine);
            both.addAll(theirs);
            return both;
        }));
        return new Executed(all);
    }

    /** What this executes on top of another path. */
    Executed without(Executed other) {
        Map<String, Set<Integer>> more = new TreeMap<>();
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
