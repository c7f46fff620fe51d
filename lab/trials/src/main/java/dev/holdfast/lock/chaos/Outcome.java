package dev.holdfast.lock.chaos;

import dev.holdfast.check.Ending;
import dev.holdfast.check.History;
import dev.holdfast.check.Rule;
import dev.holdfast.lock.trials.LockLibrary;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The figures of one round. They fit on one line of a file, so that rounds of several runs can be summed up.
 *
 * @param refused the number of writes that the registers refused
 * @param endings how often each ending of an attempt or a hold occurred
 * @param broken how often each rule was broken
 * @param longestMillis the longest time that each rule measured
 * @param faults how often each fault occurred
 */
record Outcome(
        Round round,
        int grants,
        int writes,
        int refused,
        Map<Ending, Integer> endings,
        Map<Rule, Integer> broken,
        Map<Rule, Long> longestMillis,
        Map<String, Integer> faults) {

    private static final String COLUMN = "\t";

    static Outcome of(Round.Result result) {
        Map<Rule, Integer> broken = new EnumMap<>(Rule.class);
        Map<Rule, Long> longest = new EnumMap<>(Rule.class);
        for (Rule rule : Rule.values()) {
            broken.put(rule, result.findings().count(rule));
            longest.put(rule, result.findings().longestMillis(rule));
        }
        History history = result.history();
        return new Outcome(
                result.round(),
                history.grants(),
                history.writes().size(),
                history.refused(),
                history.endings(),
                broken,
                longest,
                history.faults());
    }

    boolean keepsItsPromises() {
        return Arrays.stream(Rule.values()).noneMatch(this::breaks);
    }

    /**
     * Returns whether a rule about tokens or exclusion was broken. Other rules do not count, because a lock that is only slow, or leaves something
     * behind, is not unsafe.
     */
    boolean isUnsafe() {
        return Rule.SAFETY.stream().anyMatch(this::breaks);
    }

    private boolean breaks(Rule rule) {
        return broken.getOrDefault(rule, 0) > 0
                && (rule != Rule.ONE_HOLDER || round.faultClass().terms().oneHolder());
    }

    int faultCount() {
        return faults.values().stream().mapToInt(Integer::intValue).sum();
    }

    String toLine() {
        return String.join(
                COLUMN,
                round.library().name(),
                round.faultClass().name(),
                String.valueOf(round.seed()),
                String.valueOf(round.seconds()),
                String.valueOf(grants),
                String.valueOf(writes),
                String.valueOf(refused),
                words(endings),
                words(broken),
                words(longestMillis),
                words(faults));
    }

    private static String words(Map<?, ?> map) {
        return map.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(";"));
    }

    static Outcome parse(String line) {
        String[] columns = line.split(COLUMN, -1);
        Round round = new Round(
                LockLibrary.valueOf(columns[0].toUpperCase(Locale.ROOT)),
                FaultClass.valueOf(columns[1].toUpperCase(Locale.ROOT)),
                Long.parseLong(columns[2]),
                Integer.parseInt(columns[3]));
        return new Outcome(
                round,
                Integer.parseInt(columns[4]),
                Integer.parseInt(columns[5]),
                Integer.parseInt(columns[6]),
                map(columns[7], Ending::valueOf, Integer::valueOf),
                map(columns[8], Rule::valueOf, Integer::valueOf),
                map(columns[9], Rule::valueOf, Long::valueOf),
                map(columns[10], name -> name, Integer::valueOf));
    }

    private static <K, V> Map<K, V> map(String words, Function<String, K> key, Function<String, V> value) {
        return Arrays.stream(words.split(";", -1))
                .filter(word -> !word.isEmpty())
                .map(word -> word.split("=", -1))
                .collect(Collectors.toMap(
                        pair -> key.apply(pair[0]), pair -> value.apply(pair[1]), (one, other) -> other, TreeMap::new));
    }
}
