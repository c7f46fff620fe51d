package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.trials.ReportFolder;
import java.nio.file.Path;
import java.util.List;

/**
 * Writes results to the standard output and, with {@code -Dreport=<folder>}, to a Markdown file, CSV files and a chart for each requested figure.
 * Compares them with a {@link Limit} if there is one.
 */
final class Report {

    private static final String FOLDER = System.getProperty("report", "");

    private static final String LIMIT = System.getProperty("limit", "");

    private final StringBuilder page = new StringBuilder();
    private boolean isWithinLimit = true;

    void add(String name, String title, Table table, String... charts) {
        for (String broken :
                LIMIT.isEmpty() ? List.<String>of() : Limit.parse(LIMIT).broken(table)) {
            System.out.println("LIMIT: " + broken);
            isWithinLimit = false;
        }
        String section = "## " + title + "\n\n" + table.markdown() + "\n";
        System.out.println(section);
        System.out.println(table.csv());
        page.append(section);
        write(name + ".csv", table.csv());
        for (String column : charts) {
            String file = name + "-" + column.replaceAll("[^A-Za-z0-9]+", "-") + ".svg";
            write(file, BarChart.svg(title, column, table.rows()));
            page.append("![").append(column).append("](").append(file).append(")\n\n");
        }
    }

    /** Adds a chart of some rows. */
    void chart(String file, String title, String column, List<Table.Row> rows) {
        write(file, BarChart.svg(title, column, rows));
    }

    boolean isWithinLimit() {
        return isWithinLimit;
    }

    void end(String line) {
        System.out.println(line);
        page.append(line).append('\n');
        write("results.md", page.toString());
    }

    private static void write(String file, String text) {
        if (!FOLDER.isEmpty()) {
            new ReportFolder(Path.of(FOLDER)).write(file, text);
        }
    }
}
