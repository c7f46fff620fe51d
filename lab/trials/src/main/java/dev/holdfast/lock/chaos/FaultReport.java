package dev.holdfast.lock.chaos;

import dev.holdfast.check.Ending;
import dev.holdfast.check.Findings;
import dev.holdfast.check.Rule;
import dev.holdfast.check.Timeline;
import dev.holdfast.lock.trials.LockLibrary;
import dev.holdfast.lock.trials.ReportFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Sums the rounds up by library and class. Writes a table of the rounds, a table of the faults, and a picture of one run of each library and class.
 * For each round, a line also goes to a separate file, so that {@link #merge} can make one report of many runs.
 */
final class FaultReport {

    private static final String ROUNDS = "rounds-";
    private static final String UNFINISHED = "unfinished ";

    private final ReportFolder folder;
    private final String lines;
    private final String title;
    private final List<String> unfinished = new ArrayList<>();
    private final Map<LockLibrary, Map<FaultClass, Row>> rows = new TreeMap<>();

    FaultReport(Path folder, String title) {
        this.folder = new ReportFolder(folder);
        this.title = title;
        this.lines = ROUNDS + ProcessHandle.current().pid() + "-" + System.currentTimeMillis() + ".txt";
    }

    /** Sums up the rounds of runs that wrote their reports into these folders or their subfolders. */
    static FaultReport merge(Path folder, List<Path> others) throws IOException {
        FaultReport report = new FaultReport(folder, "Merged");
        for (Path other : others) {
            List<Path> files;
            try (Stream<Path> all = Files.walk(other)) {
                files = all.filter(file -> file.getFileName().toString().startsWith(ROUNDS))
                        .sorted()
                        .toList();
            }
            for (Path file : files) {
                for (String line : Files.readAllLines(file)) {
                    if (line.startsWith(UNFINISHED)) {
                        report.unfinished.add(line.substring(UNFINISHED.length()));
                    } else {
                        report.sum(Outcome.parse(line));
                    }
                }
            }
        }
        return report;
    }

    void add(Round.Result result) throws IOException {
        Round round = result.round();
        if (row(round).seeds.isEmpty()) {
            folder.write(
                    round.library() + "-" + round.faultClass() + ".svg",
                    Timeline.of(round + ": holders by worker, and faults", result.history()));
        }
        Outcome outcome = result.outcome();
        sum(outcome);
        write(outcome.toLine());
        System.out.println(line(outcome, result.findings()));
        result.findings().examples().forEach(example -> System.out.println("    " + example));
        folder.write("report.md", text());
    }

    void unfinished(Round round, Throwable why) throws IOException {
        String what = round + ": " + why.toString().replace('\n', ' ');
        unfinished.add(what);
        write(UNFINISHED + what);
    }

    private void write(String line) throws IOException {
        folder.append(lines, line);
    }

    private void sum(Outcome outcome) {
        row(outcome.round()).add(outcome);
    }

    private Row row(Round round) {
        return rows.computeIfAbsent(round.library(), key -> new TreeMap<>())
                .computeIfAbsent(round.faultClass(), key -> new Row());
    }

    private static String line(Outcome outcome, Findings findings) {
        Round round = outcome.round();
        StringBuilder line = new StringBuilder(String.format(
                "%s %s, seed %d, %d s: %d grants, %d faults%s",
                round.library(),
                round.faultClass(),
                round.seed(),
                round.seconds(),
                outcome.grants(),
                outcome.faultCount(),
                outcome.keepsItsPromises() ? "" : " BROKEN"));
        outcome.broken().forEach((rule, count) -> {
            if (count > 0) {
                line.append(", ").append(rule.title()).append(' ').append(count);
            }
        });
        line.append(", ").append(outcome.endings());
        line.append("; longest free ").append(findings.longestMillis(Rule.FREE_LOCK_GRANTED));
        line.append(" ms of ").append(findings.longestAt(Rule.FREE_LOCK_GRANTED));
        line.append(", overrun ").append(findings.longestMillis(Rule.WAIT_ENDS));
        return line.append(" ms, loss ")
                .append(findings.longestMillis(Rule.LOSS_IN_TIME))
                .append(" ms")
                .toString();
    }

    /** Returns whether Holdfast kept its promises and the naive lock broke one in each class. */
    boolean isGood() {
        boolean good = unfinished.isEmpty();
        for (Map.Entry<LockLibrary, Map<FaultClass, Row>> library : rows.entrySet()) {
            for (Map.Entry<FaultClass, Row> row : library.getValue().entrySet()) {
                int broken = row.getValue().broken.size();
                if (library.getKey() == LockLibrary.HOLDFAST && broken > 0) {
                    System.out.println("Holdfast broke a promise: " + row.getKey());
                    good = false;
                }
                if (library.getKey() == LockLibrary.NAIVE
                        && row.getKey().breaksTheNaiveLock() != row.getValue().breaks(row.getKey())) {
                    System.out.println("The naive lock was not told from a good one: " + row.getKey());
                    good = false;
                }
            }
        }
        return good;
    }

    void finish() throws IOException {
        folder.write("report.md", text());
        System.out.println(text());
        System.out.println("Report and timelines: " + folder.path().toAbsolutePath());
    }

    private String text() {
        StringBuilder text = new StringBuilder("# Faults and what they broke\n\n" + title + ", JDK "
                + Runtime.version().feature()
                + ". Times in ms. *two holders* is a violation only where it is promised.\n\n");
        text.append("| library | class | rounds | s | faults | grants | writes | refused | lost | errors |");
        for (Rule rule : Rule.values()) {
            text.append(' ').append(rule.title()).append(" |");
        }
        text.append(" longest free | longest overrun | latest loss |\n|")
                .append(" --- |".repeat(13 + Rule.values().length))
                .append('\n');
        rows.forEach((library, classes) -> {
            Row all = new Row();
            classes.forEach((faultClass, row) -> {
                row.appendTo(text, library + " | " + faultClass);
                all.add(row);
            });
            all.appendTo(text, library + " | all");
        });
        text.append("\nRounds that the servers did not let finish: ")
                .append(unfinished.size())
                .append('\n');
        unfinished.forEach(each -> text.append("- ").append(each).append('\n'));
        text.append("\n## Faults\n\n| class | fault | times |\n| --- | --- | ---: |\n");
        rows.getOrDefault(LockLibrary.HOLDFAST, Map.of())
                .forEach((faultClass, row) ->
                        row.faults.forEach((fault, count) -> text.append(line(faultClass, fault, count))));
        text.append("\n## Seeds\n\n");
        rows.forEach((library, classes) -> classes.forEach((faultClass, row) -> text.append("- ")
                .append(library + " " + faultClass + ": " + row.seeds)
                .append(row.broken.isEmpty() ? "" : "; with a finding: " + row.broken)
                .append('\n')));
        return text.toString();
    }

    private static String line(Object... cells) {
        StringBuilder line = new StringBuilder("|");
        Arrays.stream(cells).forEach(cell -> line.append(' ').append(cell).append(" |"));
        return line.append('\n').toString();
    }

    /** The rounds of one library in one class. */
    private static final class Row {

        final List<Long> seeds = new ArrayList<>();
        final List<Long> broken = new ArrayList<>();
        final Map<String, Integer> faults = new TreeMap<>();
        private final Map<Rule, Integer> counts = new TreeMap<>();
        private final Map<Rule, Long> longestMillis = new TreeMap<>();
        int unsafe;
        private long seconds;
        private long grants;
        private long writes;
        private long refused;
        private final Map<Ending, Integer> endings = new TreeMap<>();

        void add(Outcome outcome) {
            seeds.add(outcome.round().seed());
            if (!outcome.keepsItsPromises()) {
                broken.add(outcome.round().seed());
            }
            unsafe += outcome.isUnsafe() ? 1 : 0;
            seconds += outcome.round().seconds();
            grants += outcome.grants();
            writes += outcome.writes();
            refused += outcome.refused();
            sum(outcome.faults(), outcome.endings(), outcome.broken(), outcome.longestMillis());
        }

        void add(Row row) {
            seeds.addAll(row.seeds);
            seconds += row.seconds;
            grants += row.grants;
            writes += row.writes;
            refused += row.refused;
            sum(row.faults, row.endings, row.counts, row.longestMillis);
        }

        /**
         * Returns whether the class revealed a bad lock. A clock that jumps breaks no token. Instead, a bad lock is recognized because no caller gets
         * the lock of a dead holder.
         */
        boolean breaks(FaultClass faultClass) {
            return unsafe > 0 || (faultClass == FaultClass.CLOCK && counts.getOrDefault(Rule.FREE_LOCK_GRANTED, 0) > 0);
        }

        private void sum(
                Map<String, Integer> faults,
                Map<Ending, Integer> endings,
                Map<Rule, Integer> counts,
                Map<Rule, Long> longest) {
            faults.forEach((fault, count) -> this.faults.merge(fault, count, Integer::sum));
            endings.forEach((ending, count) -> this.endings.merge(ending, count, Integer::sum));
            counts.forEach((rule, count) -> this.counts.merge(rule, count, Integer::sum));
            longest.forEach((rule, millis) -> longestMillis.merge(rule, millis, Math::max));
        }

        void appendTo(StringBuilder text, String name) {
            List<Object> cells = new ArrayList<>(List.of(name, seeds.size(), seconds));
            cells.add(faults.values().stream().mapToInt(Integer::intValue).sum());
            cells.addAll(List.of(grants, writes, refused, endings.getOrDefault(Ending.LOST, 0)));
            cells.add(endings.getOrDefault(Ending.UNAVAILABLE, 0) + endings.getOrDefault(Ending.FAILED, 0));
            for (Rule rule : Rule.values()) {
                cells.add(counts.getOrDefault(rule, 0));
            }
            for (Rule rule : List.of(Rule.FREE_LOCK_GRANTED, Rule.WAIT_ENDS, Rule.LOSS_IN_TIME)) {
                cells.add(longestMillis.getOrDefault(rule, 0L));
            }
            text.append(line(cells.toArray()));
        }
    }
}
