package dev.holdfast.lock.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A limit for the medians of a figure, in the rows of Holdfast: {@code -Dlimit="x raw >= 0.6"}. Only a figure beside a reference of the same run has a
 * limit that holds on every machine.
 */
record Limit(String figure, boolean isMost, double value) {

    private static final Pattern TEXT = Pattern.compile("(.+) (<=|>=) ([0-9.]+)");

    static Limit parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("-Dlimit must be like 'x raw >= 0.6', was '" + text + "'");
        }
        return new Limit(parts.group(1), parts.group(2).equals("<="), Double.parseDouble(parts.group(3)));
    }

    /** Returns what is wrong with a table; empty if all is within the limit. */
    List<String> broken(Table table) {
        List<Table.Row> limited = table.rows().stream()
                .filter(row -> row.subject().toLowerCase(Locale.ROOT).contains("holdfast"))
                .filter(row -> !row.values(figure).isEmpty())
                .toList();
        Stream<String> broken = limited.isEmpty()
                ? Stream.of("no row of Holdfast has '" + figure + "'")
                : limited.stream()
                        .filter(row -> isMost ? row.median(figure) > value : row.median(figure) < value)
                        .map(row -> row.subject() + ": " + figure + " is " + Table.text(row.median(figure))
                                + ", and may be " + (isMost ? "at most " : "at least ") + value);
        return broken.toList();
    }
}
