package dev.holdfast.lock.benchmarks;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What was measured: a row for each subject, a column for each figure, in each cell the median of the rounds. */
final class Table {

    private final List<Row> rows = new ArrayList<>();

    Row row(String subject) {
        return rows.stream()
                .filter(row -> row.subject.equals(subject))
                .findFirst()
                .orElseGet(() -> {
                    Row row = new Row(subject);
                    rows.add(row);
                    return row;
                });
    }

    /** Adds to one subject's row how many times the other's figure its own is, round by round. */
    void ratio(String column, String subject, String other) {
        List<Double> ours = row(subject).values.getOrDefault(column, List.of());
        List<Double> theirs = row(other).values.getOrDefault(column, List.of());
        for (int round = 0; round < Math.min(ours.size(), theirs.size()); round++) {
            row(subject).add(column + ": ratio to " + other, ours.get(round) / theirs.get(round));
        }
    }

    /** As Markdown. */
    void print() {
        Set<String> columns = columns();
        System.out.println("| | " + String.join(" | ", columns) + " |");
        System.out.println("| --- |" + " ---: |".repeat(columns.size()));
        for (Row row : rows) {
            System.out.println("| " + row.subject + " | "
                    + columns.stream().map(row::median).collect(Collectors.joining(" | ")) + " |");
        }
    }

    /** Each value of each round, one in a line. */
    void printCsv() {
        System.out.println("subject,figure,values");
        for (Row row : rows) {
            row.values.forEach((column, values) -> System.out.println("\"" + row.subject + "\",\"" + column + "\","
                    + values.stream().map(String::valueOf).collect(Collectors.joining(","))));
        }
    }

    private Set<String> columns() {
        return rows.stream()
                .flatMap(row -> row.values.keySet().stream())
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    static double median(Collection<Double> values) {
        return percentile(values, 50);
    }

    static double percentile(Collection<Double> values, double percent) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        int at = (int) (sorted.size() * percent / 100);
        return sorted.isEmpty() ? Double.NaN : sorted.get(Math.min(at, sorted.size() - 1));
    }

    /** Three digits say all that a benchmark knows. */
    static String text(double value) {
        double size = Math.abs(value);
        String format = size == 0 || size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f";
        return Double.isNaN(value) ? "" : String.format(Locale.ROOT, format, value);
    }

    /** One subject's figures. */
    static final class Row {

        private final String subject;
        private final Map<String, List<Double>> values = new LinkedHashMap<>();

        private Row(String subject) {
            this.subject = subject;
        }

        Row add(String column, long value) {
            return add(column, (double) value);
        }

        /** Adds what a round measured. */
        Row add(String column, double value) {
            values.computeIfAbsent(column, added -> new ArrayList<>()).add(value);
            return this;
        }

        @Override
        public String toString() {
            return subject + ": "
                    + values.keySet().stream()
                            .map(column -> column + " " + median(column))
                            .collect(Collectors.joining("; "));
        }

        void clear() {
            values.clear();
        }

        private String median(String column) {
            List<Double> all = values.get(column);
            return all == null ? "" : text(Table.median(all));
        }
    }
}
