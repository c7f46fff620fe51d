package dev.holdfast.check;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The results of the checker: how often each rule was broken, descriptions of the first cases, and the longest times that were measured. */
public final class Findings {

    private static final int EXAMPLES = 5;

    private final Map<Rule, Integer> counts = new EnumMap<>(Rule.class);
    private final List<String> examples = new ArrayList<>();
    private final Map<Rule, Long> longestNanos = new EnumMap<>(Rule.class);
    private final Map<Rule, String> places = new EnumMap<>(Rule.class);

    public void broken(Rule rule, String how) {
        if (counts.merge(rule, 1, Integer::sum) <= EXAMPLES) {
            examples.add(rule.title() + ": " + how);
        }
    }

    void measured(Rule rule, long nanos) {
        longestNanos.merge(rule, nanos, Math::max);
    }

    void measured(Rule rule, long nanos, String where) {
        if (nanos > longestNanos.getOrDefault(rule, 0L)) {
            places.put(rule, where);
        }
        measured(rule, nanos);
    }

    /** Returns where the longest time was measured. */
    public String longestAt(Rule rule) {
        return places.getOrDefault(rule, "");
    }

    public int count(Rule rule) {
        return counts.getOrDefault(rule, 0);
    }

    public long longestMillis(Rule rule) {
        return longestNanos.getOrDefault(rule, 0L) / 1_000_000;
    }

    public List<String> examples() {
        return examples;
    }

    void add(Findings other) {
        other.counts.forEach((rule, count) -> counts.merge(rule, count, Integer::sum));
        other.longestNanos.forEach((rule, nanos) -> measured(rule, nanos, other.longestAt(rule)));
        examples.addAll(other.examples);
    }
}
