package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.trials.ReportFolder;
import java.nio.file.Path;
import java.util.List;

/** Writes results to the standard output and, with {@code -Dreport=<folder>}, to a Markdown file, CSV files and a chart for each requested figure. */
final class Report {

    private static final String FOLDER = System.getProperty("report", "");

    private final StringBuilder page = new StringBuilder();

    void add(String name, String title, Table table, String... charts) {
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
