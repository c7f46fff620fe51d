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

    /** The row of so many threads of a library. */
    Row row(LockLibrary library, int processes, int threads) {
        return row(library.label() + ", " + (processes == 1 ? "" : processes + " x ") + threads
                + (processes * threads == 1 ? " thread" : " threads"));
    }

    /** Adds to each row that has a namesake of the other library how many times its figure its own is, round by round. */
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

    /** Each value of each round, one figure in a line. */
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

        String subject() {
            return subject;
        }

        /** What the rounds measured; empty if they did not measure this. */
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
