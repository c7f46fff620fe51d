package dev.holdfast.lock.chaos;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Values over time, one curve for each name. Checks whether the values stay the same after the first quarter. */
final class Curves {

    private static final int WIDTH = 900;
    private static final int LEFT = 220;
    private static final int ROW = 80;

    private final Map<String, List<Long>> checked = new LinkedHashMap<>();
    private final Map<String, List<Long>> unchecked = new LinkedHashMap<>();

    void add(String name, long value) {
        checked.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
    }

    /** Adds a value that is drawn but not checked. */
    void addUnchecked(String name, long value) {
        unchecked.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
    }

    /**
     * Returns whether each checked value is stable: its mean in the last quarter differs from that in the second quarter by at most a tenth, or by at
     * most 3.
     */
    boolean areFlat() {
        return checked.values().stream().allMatch(Curves::isFlat);
    }

    private static boolean isFlat(List<Long> values) {
        double before = mean(values, 1);
        double after = mean(values, 3);
        return Math.abs(after - before) <= Math.max(3, before / 10);
    }

    private static double mean(List<Long> values, int quarter) {
        return values.subList(values.size() * quarter / 4, values.size() * (quarter + 1) / 4).stream()
                .mapToLong(Long::longValue)
                .average()
                .orElse(0);
    }

    String table() {
        StringBuilder text =
                new StringBuilder("| | 2nd quarter | last quarter | least | most | |\n|" + " --- |".repeat(6) + "\n");
        checked.forEach((name, values) -> row(text, name, values, isFlat(values) ? "flat" : "NOT FLAT"));
        unchecked.forEach((name, values) -> row(text, name, values, ""));
        return text.toString();
    }

    private static void row(StringBuilder text, String name, List<Long> values, String verdict) {
        text.append(String.format(
                Locale.ROOT,
                "| %s | %.1f | %.1f | %d | %d | %s |%n",
                name,
                mean(values, 1),
                mean(values, 3),
                least(values),
                most(values),
                verdict));
    }

    private static long least(List<Long> values) {
        return values.stream().mapToLong(Long::longValue).min().orElse(0);
    }

    private static long most(List<Long> values) {
        return values.stream().mapToLong(Long::longValue).max().orElse(0);
    }

    String draw(String title) {
        Map<String, List<Long>> all = new LinkedHashMap<>(checked);
        all.putAll(unchecked);
        StringBuilder svg = new StringBuilder(String.format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">%n"
                        + "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n<text x=\"10\" y=\"20\">%s</text>%n",
                WIDTH, 40 + ROW * all.size(), title));
        int top = 36;
        for (Map.Entry<String, List<Long>> curve : all.entrySet()) {
            draw(svg, top, curve.getKey(), curve.getValue());
            top += ROW;
        }
        return svg.append("</svg>\n").toString();
    }

    /** Draws a curve. The axis begins at zero, so that a small change does not look steep. */
    private static void draw(StringBuilder svg, int top, String name, List<Long> values) {
        int height = ROW - 20;
        double scale = height / Math.max(1.0, most(values) * 1.1);
        svg.append(String.format(
                "<text x=\"10\" y=\"%d\">%s</text>%n<text x=\"10\" y=\"%d\" fill=\"#666\">%d to %d</text>%n"
                        + "<path d=\"M%d %dH%d\" stroke=\"#ccc\"/>%n<polyline fill=\"none\" stroke=\"#2a6fbb\" stroke-width=\"1.5\" points=\"",
                top + 24, name, top + 42, least(values), most(values), LEFT, top + height, WIDTH - 10));
        for (int i = 0; i < values.size(); i++) {
            svg.append(String.format(
                    Locale.ROOT,
                    "%.1f,%.1f ",
                    LEFT + (double) i / Math.max(1, values.size() - 1) * (WIDTH - LEFT - 10),
                    top + height - values.get(i) * scale));
        }
        svg.append("\"/>\n");
    }
}
