package dev.holdfast.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The result of a check as a page for somebody who uses the library and does not know this project: which fault, what happened, what it means, and
 * what helps.
 */
final class ResultPage {

    private static final String STALL = "stall";

    /** Faults in words. Others are called by their names. */
    private static final Map<String, String> WORDS = Map.ofEntries(
            Map.entry("close", "connection closed"),
            Map.entry("reset", "connection reset"),
            Map.entry("black hole", "network lost everything"),
            Map.entry("half-open to server", "network lost all requests"),
            Map.entry("half-open to client", "network lost all replies"),
            Map.entry("hold back", "network stood still, then delivered"),
            Map.entry("delay", "network was slow"),
            Map.entry("swallow and close", "one reply lost, connection closed"),
            Map.entry("swallow and reset", "one reply lost, connection reset"),
            Map.entry("lose messages", "published messages lost"),
            Map.entry("refuse connections", "connection reset, new ones refused"),
            Map.entry(Outage.STOPPED, "process paused"),
            Map.entry("kill a worker", "process killed"),
            Map.entry(Outage.AWAY, "Redis did not answer"),
            Map.entry(STALL, "the machine did not run the process"));

    private static final List<String> HAPPENED = List.of(
            "fault",
            "times",
            "a lock passed on during work",
            "its holder stopped in time",
            "worked on, learned at the release",
            "worked on, never learned",
            "not known",
            "its last step came later by");

    private static final String NO_FAULT = "without a fault of that process";
    private static final long BEFORE_THE_OVERLAP = TimeUnit.SECONDS.toNanos(4);

    /** How a holder learned that its lock had passed to another one. */
    private enum Learned {
        IN_TIME("stopped in time"),
        AT_RELEASE("worked on and learned at its release"),
        NEVER("worked on and never learned"),
        /** The process was killed, or its release got no answer. */
        UNKNOWN("worked on, with an unknown end");

        final String words;

        Learned(String words) {
            this.words = words;
        }
    }

    /** A lock that passed to another holder while the first one was at work. */
    private record Passed(String fault, Learned learned, HolderCheck.Pair pair, History history) {
        boolean togetherAtWork() {
            return pair.isOverlap();
        }

        /** Returns how long after the next holder had the lock the first one did its last step. */
        long late() {
            return Math.max(0, pair.earlier().heldAt - pair.later().answeredAt);
        }
    }

    private final CheckedLibrary library;
    private final String version;
    private final String server;
    private final long seed;
    private final Map<String, Integer> faults = new TreeMap<>();
    private final List<Passed> passed = new ArrayList<>();
    private final Findings findings = new Findings();
    private final List<String> left = new ArrayList<>();
    private @Nullable History first;
    private int seconds;
    private long grants;
    private long lateWrites;

    /**
     * @param version of the library; empty if it is not known
     * @param server in words
     */
    ResultPage(CheckedLibrary library, String version, String server, long seed) {
        this.library = library;
        this.version = version;
        this.server = server;
        this.seed = seed;
    }

    void add(int lasted, Run.Result result, Findings found) {
        History history = result.history();
        if (first == null) {
            first = history;
        }
        seconds += lasted;
        findings.add(found);
        result.left().stream().filter(each -> !left.contains(each)).forEach(left::add);
        history.faults().forEach((fault, count) -> faults.merge(words(fault), count, Integer::sum));
        lateWrites += history.refused();
        List<Attempt> byAnswer = history.attempts().stream()
                .filter(Attempt::isGranted)
                .sorted(Comparator.comparingLong(grant -> grant.answeredAt))
                .toList();
        grants += byAnswer.size();
        Set<Attempt> lost = new HashSet<>();
        new HolderCheck(Attempt::endOfWork, pair -> {
                    // Several holders may come while the first one pauses. It lost its lock once, to the first of them.
                    if (lost.add(pair.earlier())) {
                        passed.add(new Passed(cause(pair.earlier(), history), learned(pair), pair, history));
                    }
                })
                .check(byAnswer);
    }

    /** Returns the longest fault that can have cost a holder its lock. A stopped process reports a stall, too, which is not the machine's. */
    private static String cause(Attempt holder, History history) {
        return cause(holder, history.outages())
                .or(() -> cause(holder, history.stalls()))
                .orElse(NO_FAULT);
    }

    private static Optional<String> cause(Attempt holder, List<Outage> of) {
        return of.stream()
                .filter(outage -> canCostALock(outage)
                        && outage.strikes(holder.worker)
                        && outage.from() < holder.endOfWork()
                        && outage.until() > holder.answeredAt)
                .max(Comparator.comparingLong(outage -> outage.until() - outage.from()))
                .map(outage -> words(outage.fault()));
    }

    /** Returns whether a fault cuts connections, or stops a process for long enough. A holder loses nothing by a short pause. */
    private static boolean canCostALock(Outage outage) {
        boolean stops = outage.fault().equals(Outage.STOPPED) || outage.fault().equals(STALL);
        return stops ? outage.until() - outage.from() > Terms.LEASE.toNanos() / 2 : outage.cutsConnections();
    }

    private static Learned learned(HolderCheck.Pair pair) {
        Attempt earlier = pair.earlier();
        if (!pair.isOverlap()) {
            return Learned.IN_TIME;
        }
        return switch (earlier.ending) {
            case LOST -> Learned.AT_RELEASE;
            case RELEASED -> Learned.NEVER;
            default -> Learned.UNKNOWN;
        };
    }

    private static String words(String fault) {
        return WORDS.getOrDefault(fault, fault);
    }

    private long together() {
        return passed.stream().filter(Passed::togetherAtWork).count();
    }

    int exitCode() {
        return grants == 0 ? CheckReport.NO_RESULT : together() > 0 ? CheckReport.BROKEN : CheckReport.KEPT;
    }

    private String name() {
        return library.title() + (version.isEmpty() ? "" : " " + version);
    }

    String verdict() {
        long inTime = count(Learned.IN_TIME, passed);
        return name() + ": two holders "
                + (together() == 0 ? "never worked at once" : "worked at once " + times(together())) + ", in " + grants
                + " acquisitions and " + sum(faults) + " faults."
                + (inTime == 0 ? "" : " A holder stopped " + times(inTime) + " because it asked before its next step.");
    }

    private static int sum(Map<String, Integer> counts) {
        return counts.values().stream().mapToInt(Integer::intValue).sum();
    }

    private static String times(long count) {
        return count == 1 ? "once" : count + " times";
    }

    private Map<String, List<Passed>> passedByFault() {
        return passed.stream().collect(Collectors.groupingBy(Passed::fault, TreeMap::new, Collectors.toList()));
    }

    /** Returns the faults during which no lock passed on, with how often they struck. */
    private Map<String, Integer> harmless() {
        Map<String, Integer> rest = new TreeMap<>(faults);
        rest.keySet().removeAll(passedByFault().keySet());
        return rest;
    }

    private List<List<String>> whatHappened() {
        List<List<String>> rows = new ArrayList<>();
        passedByFault()
                .forEach((fault, these) -> rows.add(List.of(
                        fault,
                        faults.containsKey(fault) ? String.valueOf(faults.get(fault)) : "",
                        String.valueOf(these.size()),
                        String.valueOf(count(Learned.IN_TIME, these)),
                        String.valueOf(count(Learned.AT_RELEASE, these)),
                        String.valueOf(count(Learned.NEVER, these)),
                        String.valueOf(count(Learned.UNKNOWN, these)),
                        latest(these) + " ms")));
        Map<String, Integer> rest = harmless();
        if (!rest.isEmpty()) {
            rows.add(List.of(String.join("; ", rest.keySet()), String.valueOf(sum(rest)), "0", "", "", "", "", ""));
        }
        return rows;
    }

    private static long count(Learned how, List<Passed> of) {
        return of.stream().filter(each -> each.learned() == how).count();
    }

    private static long latest(List<Passed> of) {
        return TimeUnit.NANOSECONDS.toMillis(
                of.stream().mapToLong(Passed::late).max().orElse(0));
    }

    private List<List<String>> otherQuestions() {
        return List.of(
                List.of("How can a holder learn that its lock is gone?", library.learns()),
                List.of("Does a lock last while work takes longer?", library.renewal()),
                List.of(
                        "Were there late writes, after a write of the next holder?",
                        lateWrites + ". "
                                + (library.tokens()
                                        ? "A store that compares the library's token refuses them; "
                                                + findings.count(Rule.STALE_ACCEPTED)
                                                + " passed."
                                        : "The library has no token by which a store could refuse them.")),
                List.of(
                        "For how long was a lock free although an unaffected process waited?",
                        library.waits()
                                ? findings.longestMillis(Rule.FREE_LOCK_GRANTED) + " ms at most"
                                : "Not offered: a caller tries once."),
                List.of(
                        "By how much did a call exceed its wait?",
                        findings.longestMillis(Rule.WAIT_ENDS) + " ms at most, with the client's default timeouts"),
                List.of(
                        "Was something left behind five seconds later?",
                        left.isEmpty()
                                ? "No"
                                : left.size() + ": " + String.join("; ", left.subList(0, Math.min(3, left.size())))));
    }

    private List<String> meaning() {
        List<String> all = new ArrayList<>();
        if (together() > 0) {
            all.add(
                    "Two holders at once means: the second one got the lock before the first one had ended its last step. A"
                            + " pause counts, because the first one had begun before it and went on after it.");
        }
        if (passed.stream().anyMatch(each -> each.fault().equals(NO_FAULT))) {
            all.add(
                    "A lock that passed on without a fault of its holder's process can have been freed by a late release of an"
                            + " earlier holder.");
        }
        if (passed.stream().anyMatch(each -> each.learned() == Learned.NEVER)) {
            all.add(
                    "A holder that never learned ended as if nothing had happened: neither the lock nor its release said otherwise.");
        }
        all.add(
                "A process that pauses for longer than its lock lasts can lose the lock with every library, and Redis cannot"
                        + " stop it. They differ in whether the holder learns of it before its next step, and whether a"
                        + " store can refuse its late write.");
        all.add(
                "Here, locks last 1 s and pauses up to 2.4 s, so that a check takes minutes. With longer locks, the same"
                        + " happens more rarely. A short check without a finding is no proof.");
        return all;
    }

    /** Returns the short form, for a terminal. */
    String text() {
        StringBuilder text = new StringBuilder();
        passedByFault().forEach((fault, these) -> {
            text.append("During \"").append(fault).append('"');
            text.append(faults.containsKey(fault) ? " (" + times(faults.get(fault)) + ")" : "");
            text.append(", a lock passed on during work ")
                    .append(times(these.size()))
                    .append(':');
            text.append(Arrays.stream(Learned.values())
                    .filter(how -> count(how, these) > 0)
                    .map(how -> " its holder " + how.words + " " + times(count(how, these)))
                    .collect(Collectors.joining(",")));
            text.append(latest(these) == 0 ? "" : ", and its last step came up to " + latest(these) + " ms later");
            text.append(".\n");
        });
        Map<String, Integer> rest = harmless();
        if (!rest.isEmpty()) {
            text.append("Nothing of that during ").append(sum(rest)).append(" others: ");
            text.append(String.join("; ", rest.keySet())).append("\n\n");
        }
        otherQuestions()
                .forEach(row ->
                        text.append(row.get(0)).append(' ').append(row.get(1)).append('\n'));
        return text.append("\nVerdict: ").append(verdict()).append('\n').toString();
    }

    String html() {
        StringBuilder html = new StringBuilder("""
                <!doctype html>
                <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
                """);
        html.append("<title>")
                .append(escaped(name()))
                .append(" under faults</title>\n")
                .append("""
                <style>body{font:16px/1.5 sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
                table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.2rem .6rem;text-align:left;vertical-align:top}
                .verdict{font-size:1.3rem;font-weight:bold}</style></head><body>
                """);
        html.append("<h1>").append(escaped(name())).append(" under faults</h1>\n");
        html.append("<p class=\"verdict\">").append(escaped(verdict())).append("</p>\n");
        paragraph(
                html,
                "Three processes with three threads each used a few locks for " + seconds + " s on " + server
                        + ", through " + library.use()
                        + "; other settings have their defaults. The check cut and delayed"
                        + " their connections, paused them, and killed them. Each process noted when it got a lock, when it"
                        + " worked and when it released the lock, by one clock; these notes are compared here. With"
                        + " --seed " + seed + ", each source of faults has the same order again.");
        html.append("<h2>What happened</h2>\n");
        table(html, HAPPENED, whatHappened());
        picture(html);
        html.append("<h2>Other questions</h2>\n");
        table(html, List.of(), otherQuestions());
        html.append("<h2>What it means</h2>\n");
        meaning().forEach(each -> paragraph(html, each));
        if (!library.help().isEmpty()) {
            html.append("<h2>What helps</h2>\n<ul>\n");
            library.help()
                    .forEach(each -> html.append("<li>").append(linked(each)).append("</li>\n"));
            html.append("</ul>\n");
        }
        return html.append("</body></html>\n").toString();
    }

    private void picture(StringBuilder html) {
        Passed worst =
                passed.stream().max(Comparator.comparingLong(Passed::late)).orElse(null);
        History history = worst == null ? first : worst.history();
        if (history == null) {
            return;
        }
        String title = worst == null ? "From the first fault on" : "When a lock passed on during work";
        html.append("<h2>")
                .append(title)
                .append("</h2>\n<p>Bars are work under a lock, with a color for each process: ");
        html.append(Timeline.COLORS.stream()
                .map(color -> "<span style=\"color:" + color + "\">&#9632;</span>")
                .collect(Collectors.joining(" ")));
        html.append(" (0, 1, 2). Red below are faults; red behind bars is work of two holders at once. A paused process"
                + " does nothing in its bar until the pause ends.</p>\n");
        html.append(
                worst == null
                        ? Timeline.of("holders, and faults", history)
                        : Timeline.of(
                                "holders, and faults", history, worst.pair().later().answeredAt - BEFORE_THE_OVERLAP));
    }

    private static void paragraph(StringBuilder html, String text) {
        html.append("<p>").append(escaped(text)).append("</p>\n");
    }

    private static void table(StringBuilder html, List<String> head, List<List<String>> rows) {
        html.append("<table>\n");
        if (!head.isEmpty()) {
            row(html, "th", head);
        }
        rows.forEach(row -> row(html, "td", row));
        html.append("</table>\n");
    }

    private static void row(StringBuilder html, String cell, List<String> texts) {
        html.append("<tr>");
        texts.forEach(text -> html.append('<').append(cell).append('>').append(escaped(text)));
        html.append("</tr>\n");
    }

    private static String linked(String text) {
        return escaped(text).replaceAll("https://\\S+", "<a href=\"$0\">$0</a>");
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }
}
