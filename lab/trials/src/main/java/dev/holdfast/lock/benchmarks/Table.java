package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.trials.LockLibrary;
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

/** The results: a row for each subject, and a column for each figure. Each cell shows the median of the rounds. */
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

    /** Returns the row for the given number of threads of a library. */
    Row row(LockLibrary library, int processes, int threads) {
        return row(library.label() + ", " + (processes == 1 ? "" : processes + " x ") + threads
                + (processes * threads == 1 ? " thread" : " threads"));
    }

    /**
     * Adds a column of ratios, round by round. Each row is compared with the row of the other library that has the same processes and threads, if
     * there is one.
     */
    void ratios(String column, String title, LockLibrary other) {
        for (Row row : List.copyOf(rows)) {
            String rest = row.subject.substring(row.subject.indexOf(", "));
            Row base = rows.stream()
                    .filter(candidate -> candidate.subject.equals(other.label() + rest))
                    .findFirst()
                    .orElse(null);
            if (base != null) {
                List<Double> theirs = base.values.getOrDefault(column, List.of());
                List<Double> ours = row.values.getOrDefault(column, List.of());
                for (int round = 0; round < Math.min(ours.size(), theirs.size()); round++) {
                    row.add(title, ours.get(round) / theirs.get(round));
                }
            }
        }
    }

    String markdown() {
        Set<String> columns = columns();
        StringBuilder text = new StringBuilder("| | " + String.join(" | ", columns) + " |\n");
        text.append("| --- |").append(" ---: |".repeat(columns.size())).append('\n');
        for (Row row : rows) {
            text.append("| ").append(row.subject).append(" | ");
            text.append(columns.stream().map(row::medianText).collect(Collectors.joining(" | ")));
            text.append(" |\n");
        }
        return text.toString();
    }

    /** Returns the values of all rounds as CSV, with one figure on each line. */
    String csv() {
        StringBuilder text = new StringBuilder("subject,figure,values\n");
        for (Row row : rows) {
            row.values.forEach((column, values) -> text.append('"' + row.subject + "\",\"" + column + "\",")
                    .append(values.stream().map(String::valueOf).collect(Collectors.joining(",")))
                    .append('\n'));
        }
        return text.toString();
    }

    List<Row> rows() {
        return rows;
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

    /** Formats a value with about three digits, because a benchmark is not more precise. */
    static String text(double value) {
        double size = Math.abs(value);
        String format = size == 0 || size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f";
        return Double.isNaN(value) ? "" : String.format(Locale.ROOT, format, value);
    }

    /** The figures of one subject. */
    static final class Row {

        private final String subject;
        private final Map<String, List<Double>> values = new LinkedHashMap<>();

        private Row(String subject) {
            this.subject = subject;
        }

        Row add(String column, long value) {
            return add(column, (double) value);
        }

        /** Adds the value of one round. */
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

        String subject() {
            return subject;
        }

        /** Returns the values of the rounds; empty if the rounds did not measure this figure. */
        List<Double> values(String column) {
            return values.getOrDefault(column, List.of());
        }

        double median(String column) {
            return Table.median(values(column));
        }

        private String medianText(String column) {
            return text(median(column));
        }
    }
}
