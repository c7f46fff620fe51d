package dev.holdfast.lock.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The counts of workers up to a moment, or between two moments.
 *
 * @param each the number of acquisitions of each thread
 * @param switches how often the lock came from another process
 * @param messages the number of pub/sub messages that all clients received
 * @param cost the resources that their JVMs used
 */
record Counts(List<Long> each, long switches, long messages, JvmCost cost) {

    static final Counts NONE = new Counts(List.of(), 0, 0, JvmCost.NONE);

    long total() {
        return each.stream().mapToLong(Long::longValue).sum();
    }

    long least() {
        return each.stream().mapToLong(Long::longValue).min().orElse(0);
    }

    long most() {
        return each.stream().mapToLong(Long::longValue).max().orElse(0);
    }

    /** Returns the greatest deviation of a thread's count from the mean, in percent. */
    double deviation() {
        double mean = (double) total() / each.size();
        return 100 * Math.max(most() - mean, mean - least()) / mean;
    }

    /** Returns these counts together with those of other workers. */
    Counts with(Counts others) {
        List<Long> all = new ArrayList<>(each);
        all.addAll(others.each);
        return new Counts(all, switches + others.switches, messages + others.messages, cost.plus(others.cost));
    }

    /** Returns the difference from earlier counts of the same workers. */
    Counts since(Counts earlier) {
        List<Long> difference = new ArrayList<>();
        for (int i = 0; i < each.size(); i++) {
            difference.add(each.get(i) - earlier.each.get(i));
        }
        return new Counts(
                difference, switches - earlier.switches, messages - earlier.messages, cost.minus(earlier.cost));
    }

    String line() {
        return switches + " " + messages + " " + cost.line() + " "
                + each.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    static Counts parse(String line) {
        String[] parts = line.split(" ", -1);
        return new Counts(
                Arrays.stream(parts[3].split(",", -1)).map(Long::valueOf).toList(),
                Long.parseLong(parts[0]),
                Long.parseLong(parts[1]),
                JvmCost.parse(parts[2]));
    }
}
