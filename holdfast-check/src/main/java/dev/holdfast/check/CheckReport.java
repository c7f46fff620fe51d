package dev.holdfast.check;

import dev.holdfast.check.CheckStage.Phase;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.SelfCheck.Severity;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** Sums the phases up, and says what they mean. */
final class CheckReport {

    /** The exit codes, which {@link CheckOptions#USAGE} describes. */
    static final int KEPT = 0;

    static final int BROKEN = 1;
    static final int WRONG_ARGUMENTS = 2;
    static final int NO_RESULT = 3;
    static final int LATE = 4;

    /** The figures of one kind of faults. */
    private static final class Column {
        final Findings findings = new Findings();
        final Set<Rule> broken = EnumSet.noneOf(Rule.class);
        final Map<String, Integer> faults = new TreeMap<>();
        long seconds;
        long grants;
        long writes;
        long refused;
        long lost;

        int count(Rule rule) {
            return findings.count(rule);
        }

        long longest(Rule rule) {
            return findings.longestMillis(rule);
        }

        int faultCount() {
            return faults.values().stream().mapToInt(Integer::intValue).sum();
        }

        /** Returns whether a rule about tokens or exclusion was broken. */
        boolean isUnsafe() {
            return broken.stream().anyMatch(Rule.SAFETY::contains);
        }

        String unsafe() {
            return broken.stream()
                    .filter(Rule.SAFETY::contains)
                    .map(rule -> "\"" + rule.title() + "\" " + count(rule) + " times")
                    .collect(Collectors.joining(" and "));
        }
    }

    private final CheckOptions options;
    private final SelfCheck check;
    private final Map<String, String> info;
    private final int redirected;
    private final Map<Phase, Column> columns = new EnumMap<>(Phase.class);
    private final List<ServerWatch.Change> changes = new ArrayList<>();

    CheckReport(CheckOptions options, SelfCheck check, Map<String, String> info, int redirected) {
        this.options = options;
        this.check = check;
        this.info = info;
        this.redirected = redirected;
    }

    void add(
            Phase phase,
            int seconds,
            Run.Result result,
            Findings findings,
            Terms terms,
            List<ServerWatch.Change> changed) {
        Column column = columns.computeIfAbsent(phase, first -> new Column());
        column.findings.add(findings);
        for (Rule rule : Rule.values()) {
            if (findings.count(rule) > 0 && (rule != Rule.ONE_HOLDER || terms.oneHolder())) {
                column.broken.add(rule);
            }
        }
        History history = result.history();
        history.faults().forEach((fault, count) -> column.faults.merge(fault, count, Integer::sum));
        column.seconds += seconds;
        column.grants += history.grants();
        column.lost += history.endings().getOrDefault(Ending.LOST, 0);
        column.writes += history.writes().size();
        column.refused += history.refused();
        changes.addAll(changed);
    }

    /** Returns whether locks can be tried here at all. */
    boolean canBegin() {
        return check.isUsable() && redirected == 0 && !hidesNodes();
    }

    int exitCode() {
        if (!canBegin() || isUnsafe()) {
            return BROKEN;
        }
        if (columns.isEmpty()) {
            return NO_RESULT;
        }
        return broken().isEmpty() ? KEPT : LATE;
    }

    private Set<Rule> broken() {
        return columns.values().stream()
                .flatMap(column -> column.broken.stream())
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Rule.class)));
    }

    private boolean isUnsafe() {
        return columns.values().stream().anyMatch(Column::isUnsafe);
    }

    /** Returns whether the self-check found several servers behind the address. */
    private boolean hidesNodes() {
        return check.findings().stream().anyMatch(finding -> finding.message().contains("separate-slots"));
    }

    private long sum(ToLongFunction<Column> figure) {
        return columns.values().stream().mapToLong(figure).sum();
    }

    private long pairs() {
        return sum(column -> column.count(Rule.ONE_HOLDER));
    }

    private long faultCount() {
        return sum(Column::faultCount);
    }

    /** Returns the description of the server, which comes before the first fault. */
    String server() {
        StringBuilder text = new StringBuilder("Server: " + described() + "\n");
        if (redirected > 0) {
            text.append("  ERROR This address is one node of a cluster: of ")
                    .append(RemoteServer.slotsTried())
                    .append(" keys, it has sent ")
                    .append(redirected)
                    .append(" to other nodes (MOVED), and a client of one server does not follow. Put the nodes into"
                            + " spring.data.redis.cluster.nodes, or use RedisSource.cluster\n");
        }
        check.findings()
                .forEach(finding -> text.append("  ")
                        .append(finding.severity())
                        .append(' ')
                        .append(finding.message())
                        .append('\n'));
        if (check.findings().isEmpty() && !options.library().isReaders()) {
            text.append("  The self-check has no findings: rights, eviction policy, clock, messages\n");
        }
        return text.toString();
    }

    String described() {
        String replicated = info.containsKey("connected_slaves")
                ? ", " + info.getOrDefault("role", "?") + " with " + info.get("connected_slaves") + " replicas"
                : ", replicas unknown";
        return check.product() + " " + check.serverVersion() + ", " + check.topology() + replicated;
    }

    String text() {
        StringBuilder text = new StringBuilder();
        if (!columns.isEmpty()) {
            text.append(String.format("%-30s", ""));
            columns.keySet().forEach(phase -> text.append(String.format("%10s", phase)));
            text.append('\n');
            row(text, "seconds", column -> column.seconds);
            row(text, "faults", Column::faultCount);
            row(text, "locks acquired", column -> column.grants);
            row(text, "pairs of holders", column -> column.count(Rule.ONE_HOLDER));
            row(text, "tokens given twice", column -> column.count(Rule.TOKEN_ONCE));
            row(text, "tokens not greater", column -> column.count(Rule.TOKENS_GROW));
            row(text, "writes, by token", column -> column.writes);
            row(text, "of these refused as stale", column -> column.refused);
            row(text, "accepted although stale", column -> column.count(Rule.STALE_ACCEPTED));
            row(text, "refused although rightful", column -> column.count(Rule.RIGHTFUL_REFUSED));
            row(text, "leases lost", column -> column.lost);
            row(text, "latest notice of a loss, ms", column -> column.longest(Rule.LOSS_IN_TIME));
            row(text, "losses not reported once", column -> column.count(Rule.LOSS_ONCE));
            row(text, "longest unseen free lock, ms", column -> column.longest(Rule.FREE_LOCK_GRANTED));
            row(text, "longest overrun of a wait, ms", column -> column.longest(Rule.WAIT_ENDS));
            row(text, "left behind", column -> column.count(Rule.NOTHING_LEFT));
            text.append("Faults: ").append(faults()).append('\n');
        }
        if (options.phases().contains(Phase.FAILOVER)) {
            text.append(
                    changes.isEmpty()
                            ? "The server did not change while it was checked, so nothing is known of a failover\n"
                            : "Changes: "
                                    + changes.stream()
                                            .map(ServerWatch.Change::toString)
                                            .collect(Collectors.joining(", "))
                                    + "\n");
        }
        columns.forEach((phase, column) -> column.findings
                .examples()
                .forEach(example -> text.append("  ")
                        .append(phase)
                        .append(": ")
                        .append(example)
                        .append('\n')));
        return text.append("\nVerdict: ")
                .append(verdict())
                .append("\n\nA row for docs/redis.md:\n")
                .append(row())
                .append('\n')
                .toString();
    }

    private void row(StringBuilder text, String name, ToLongFunction<Column> figure) {
        text.append(String.format("%-30s", name));
        columns.values().forEach(column -> text.append(String.format("%10d", figure.applyAsLong(column))));
        text.append('\n');
    }

    private String faults() {
        Map<String, Integer> all = new TreeMap<>();
        columns.values()
                .forEach(column -> column.faults.forEach((fault, count) -> all.merge(fault, count, Integer::sum)));
        return all.isEmpty()
                ? "none"
                : all.entrySet().stream()
                        .map(each -> each.getKey() + " " + each.getValue())
                        .collect(Collectors.joining(", "));
    }

    String verdict() {
        String lock = options.library().title();
        if (redirected > 0) {
            return "Guilty: this is one node of a cluster, and locks whose keys are on other nodes cannot be taken through it.";
        }
        if (!check.isUsable()) {
            return "Guilty: locks cannot work on this server. The errors above say why.";
        }
        if (isUnsafe()) {
            return "Guilty: " + lock + " broke "
                    + columns.entrySet().stream()
                            .filter(each -> each.getValue().isUnsafe())
                            .map(each -> each.getValue().unsafe() + " under faults of the class " + each.getKey())
                            .collect(Collectors.joining("; "))
                    + ".";
        }
        if (hidesNodes()) {
            return "Guilty as it is: this address hides several servers, and several names at once would be on the wrong one. Set"
                    + " holdfast.separate-slots in all instances.";
        }
        if (columns.isEmpty()) {
            return "None: nothing was measured.";
        }
        String kept = lock + " had one holder at a time in " + sum(column -> column.grants) + " acquisitions and "
                + faultCount() + " faults";
        if (pairs() > 0) {
            kept = lock + " kept its promises in " + sum(column -> column.grants) + " acquisitions and " + faultCount()
                    + " faults, but after the server changed, " + pairs()
                    + " pairs held a lock together: set holdfast.failover-grace, or let the store check tokens";
        }
        Set<Rule> broken = broken();
        return broken.isEmpty()
                ? "Innocent: " + kept + "."
                : "Safe, but not in time: " + kept + ". Broken was: "
                        + broken.stream().map(Rule::title).collect(Collectors.joining(", ")) + ".";
    }

    /** Returns a row of the table of services. It does not name the server. */
    String row() {
        String settings = check.findings().stream()
                .filter(finding -> finding.severity() == Severity.WARNING)
                .map(finding -> finding.message().split("[:.]", 2)[0].replace('|', '/'))
                .collect(Collectors.joining("; "));
        return "| *your service*: " + described() + " | run, " + sum(column -> column.seconds) + " s: "
                + sum(column -> column.grants) + " acquisitions, " + faultCount() + " faults, " + changes.size()
                + " changes of the server, " + pairs() + " pairs of holders, a free lock unseen for "
                + columns.values().stream()
                        .mapToLong(column -> column.longest(Rule.FREE_LOCK_GRANTED))
                        .max()
                        .orElse(0)
                + " ms at most | " + (options.graceSeconds() > 0 ? "`holdfast.failover-grace`; " : "") + settings
                + " |";
    }
}
