package dev.holdfast.lock.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Sums the rounds up by library and class, and writes a table of them, a table of the faults, and a picture of one run of each. */
final class Report {

    private static final class Row {
        final Findings findings = new Findings();
        final List<Long> seeds = new ArrayList<>();
        final Map<String, Integer> faults = new TreeMap<>();
        int seconds;
        int grants;
        int writes;
        int refused;
        int broken;
        int unsafe;
    }

    private final Path folder;
    private final long seed;
    private int unfinished;
    private final Map<LockLibrary.Name, Map<FaultClass, Row>> rows = new LinkedHashMap<>();

    Report(Path folder, long seed) {
        this.folder = folder;
        this.seed = seed;
    }

    void add(Round.Result result) throws IOException {
        Round round = result.round();
        History history = result.history();
        Row row = rows.computeIfAbsent(round.library(), key -> new LinkedHashMap<>())
                .computeIfAbsent(round.faultClass(), key -> new Row());
        if (row.seeds.isEmpty()) {
            Files.writeString(
                    folder.resolve(round.library() + "-" + round.faultClass() + ".svg"), Timeline.of(round, history));
        }
        row.findings.add(result.findings());
        row.seeds.add(round.seed());
        row.seconds += round.seconds();
        row.grants += result.grants();
        row.writes += history.writes().size();
        row.refused += (int)
                history.writes().stream().filter(write -> !write.accepted()).count();
        row.broken += result.keepsItsPromises() ? 0 : 1;
        row.unsafe += result.isUnsafe() ? 1 : 0;
        history.outages().forEach(outage -> row.faults.merge(outage.fault(), 1, Integer::sum));
        System.out.println(line(round, result));
        result.findings().examples().forEach(example -> System.out.println("    " + example));
        Files.writeString(folder.resolve("report.md"), text());
    }

    private static String line(Round round, Round.Result result) {
        StringBuilder line = new StringBuilder(String.format(
                "%s %s, seed %d, %d s: %d grants, %d faults%s",
                round.library(),
                round.faultClass(),
                round.seed(),
                round.seconds(),
                result.grants(),
                result.history().outages().size(),
                result.keepsItsPromises() ? "" : " BROKEN"));
        for (Rule rule : Rule.values()) {
            if (result.findings().count(rule) > 0) {
                line.append(", ")
                        .append(rule.title())
                        .append(' ')
                        .append(result.findings().count(rule));
            }
        }
        line.append("; longest free ").append(result.findings().longestMillis(Rule.FREE_LOCK_GRANTED));
        line.append(" ms of ").append(result.findings().longestAt(Rule.FREE_LOCK_GRANTED));
        line.append(", overrun ").append(result.findings().longestMillis(Rule.WAIT_ENDS));
        return line.append(" ms, loss ")
                .append(result.findings().longestMillis(Rule.LOSS_IN_TIME))
                .append(" ms")
                .toString();
    }

    void unfinished() {
        unfinished++;
    }

    /** Holdfast kept its promises, and the naive lock broke one in each class. */
    boolean isGood() {
        boolean good = unfinished == 0;
        for (Map.Entry<LockLibrary.Name, Map<FaultClass, Row>> library : rows.entrySet()) {
            for (Map.Entry<FaultClass, Row> row : library.getValue().entrySet()) {
                int broken = row.getValue().broken;
                if (library.getKey() == LockLibrary.Name.HOLDFAST && broken > 0) {
                    System.out.println("Holdfast broke a promise: " + row.getKey());
                    good = false;
                }
                if (library.getKey() == LockLibrary.Name.NAIVE
                        && row.getKey().breaksTheNaiveLock() != (row.getValue().unsafe > 0)) {
                    System.out.println("The naive lock was not told from a good one: " + row.getKey());
                    good = false;
                }
            }
        }
        return good;
    }

    void finish() throws IOException {
        System.out.println(text());
        System.out.println(unfinished + " rounds were not finished");
        System.out.println("Report and timelines: " + folder.toAbsolutePath());
    }

    private String text() {
        StringBuilder text = new StringBuilder("# Faults and what they broke\n\nFirst seed " + seed + ", JDK "
                + Runtime.version().feature()
                + ". Times in ms. *two holders* is a violation only where it is promised.\n\n");
        text.append("| library | class | s | faults | grants | writes | refused |");
        for (Rule rule : Rule.values()) {
            text.append(' ').append(rule.title()).append(" |");
        }
        text.append(" longest free | longest overrun | latest loss |\n|")
                .append(" --- |".repeat(10 + Rule.values().length))
                .append('\n');
        rows.forEach(
                (library, classes) -> classes.forEach((faultClass, row) -> append(text, library, faultClass, row)));
        text.append("\nRounds that the servers did not let finish: ")
                .append(unfinished)
                .append("\n");
        text.append("\n## Faults\n\n| class | fault | times |\n| --- | --- | ---: |\n");
        rows.getOrDefault(LockLibrary.Name.HOLDFAST, Map.of())
                .forEach((faultClass, row) -> row.faults.forEach((fault, count) -> text.append("| ")
                        .append(faultClass)
                        .append(" | ")
                        .append(fault)
                        .append(" | ")
                        .append(count)
                        .append(" |\n")));
        text.append("\n## Seeds\n\n");
        rows.forEach((library, classes) -> classes.forEach((faultClass, row) -> text.append("- ")
                .append(library)
                .append(' ')
                .append(faultClass)
                .append(": ")
                .append(row.seeds)
                .append('\n')));
        return text.toString();
    }

    private static void append(StringBuilder text, LockLibrary.Name library, FaultClass faultClass, Row row) {
        text.append("| ").append(library).append(" | ").append(faultClass);
        for (int number : new int[] {
            row.seconds,
            row.faults.values().stream().mapToInt(Integer::intValue).sum(),
            row.grants,
            row.writes,
            row.refused
        }) {
            text.append(" | ").append(number);
        }
        for (Rule rule : Rule.values()) {
            text.append(" | ").append(row.findings.count(rule));
        }
        text.append(" | ").append(row.findings.longestMillis(Rule.FREE_LOCK_GRANTED));
        text.append(" | ").append(row.findings.longestMillis(Rule.WAIT_ENDS));
        text.append(" | ").append(row.findings.longestMillis(Rule.LOSS_IN_TIME)).append(" |\n");
    }
}
