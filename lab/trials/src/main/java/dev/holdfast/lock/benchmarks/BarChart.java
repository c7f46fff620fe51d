package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.trials.LockLibrary;
import java.util.List;
import java.util.Locale;

/** Draws one figure of each row as a bar. The bar's length is the median, and a line extends from the smallest to the greatest round. */
final class BarChart {

    private static final int LABEL = 190;
    private static final int LENGTH = 420;
    private static final int HEIGHT = 22;
    private static final int TOP = 34;

    private BarChart() {}

    static String svg(String title, String column, List<Table.Row> rows) {
        List<Table.Row> shown =
                rows.stream().filter(row -> !row.values(column).isEmpty()).toList();
        double greatest = shown.stream()
                .flatMap(row -> row.values(column).stream())
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(1);
        StringBuilder svg = new StringBuilder(text(
                "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' font-size='12'>%n",
                LABEL + LENGTH + 80, TOP + HEIGHT * shown.size() + 8));
        svg.append("<rect width='100%' height='100%' fill='white'/>\n");
        svg.append(text("<text x='8' y='20' font-size='14'>%s: %s</text>%n", escaped(title), escaped(column)));
        for (int i = 0; i < shown.size(); i++) {
            svg.append(bar(shown.get(i), column, LENGTH / greatest, TOP + HEIGHT * i));
        }
        return svg.append("</svg>\n").toString();
    }

    private static String bar(Table.Row row, String column, double scale, int y) {
        double median = row.median(column);
        double least = Table.percentile(row.values(column), 0);
        double most = Table.percentile(row.values(column), 100);
        String color = row.subject().startsWith(LockLibrary.HOLDFAST.label()) ? "#2f6fb2" : "#b9c3cf";
        int middle = y + HEIGHT / 2;
        return text("<text x='%d' y='%d' text-anchor='end'>%s</text>%n", LABEL - 6, middle + 4, escaped(row.subject()))
                + text(
                        "<rect x='%d' y='%d' width='%.1f' height='%d' fill='%s'/>%n",
                        LABEL, y + 3, median * scale, HEIGHT - 6, color)
                + text(
                        "<line x1='%.1f' x2='%.1f' y1='%d' y2='%d' stroke='black'/>%n",
                        LABEL + least * scale, LABEL + most * scale, middle, middle)
                + text("<text x='%.1f' y='%d'>%s</text>%n", LABEL + most * scale + 6, middle + 4, Table.text(median));
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}
