package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.spring.call.AroundLock.RunEnd;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The text beside the lock of a job. Its lines say by their first word what they are: the last tick that counts, the tick of the last run that has
 * succeeded, and, the newest first, runs and ticks that nobody ran. A later version may add words and lines, which stay as they are.
 *
 * @param last the last tick that counts
 * @param succeeded the tick of the last successful run
 * @param others all other lines
 */
record TickRecord(@Nullable Instant last, @Nullable Instant succeeded, List<String> others) {

    private static final String TICK = "tick";
    private static final String SUCCEEDED = "succeeded";

    private static final int MOST_RUNS = 20;

    /** What happened to one tick, or to several that nobody ran. */
    public sealed interface Entry {
        /** The first of its ticks. */
        Instant tick();

        /** The last of its ticks. */
        Instant end();
    }

    /**
     * A run.
     *
     * @param took null if nobody has written its end, or the method did not begin
     * @param outcome one of the constants here, or what a later version says
     * @param failure the class of the exception; null if it has not failed
     */
    public record Run(
            Instant tick,
            Instant began,
            @Nullable Duration took,
            String outcome,
            @Nullable String failure,
            String instance)
            implements Entry {

        public static final String RUNNING = "running";
        public static final String SUCCEEDED = "succeeded";
        public static final String FAILED = "failed";
        public static final String LOST = "lost";

        private static final int LONGEST_NAME = 70;
        private static final int LONGEST_CLASS = 100;
        private static final Pattern TEXT =
                Pattern.compile("run (\\S+) (-?\\d{1,15}) (-|\\d{1,15}) ([^ \\t:]+)(?::(\\S*))? ([^\\t]*)(?:\\t.*)?");

        Run(Instant tick, Instant began, String instance) {
            this(tick, began, null, RUNNING, null, instance);
        }

        static @Nullable Run in(String line) {
            Matcher found = TEXT.matcher(line);
            if (!found.matches()) {
                return null;
            }
            try {
                Instant tick = Instant.parse(found.group(1));
                Duration took = found.group(3).equals("-") ? null : Duration.ofMillis(Long.parseLong(found.group(3)));
                Instant began = tick.plusMillis(Long.parseLong(found.group(2)));
                return new Run(tick, began, took, found.group(4), found.group(5), found.group(6));
            } catch (DateTimeParseException e) {
                return null;
            }
        }

        String text() {
            String cause =
                    failure == null ? "" : ":" + failure.substring(Math.max(0, failure.length() - LONGEST_CLASS));
            return "run " + tick + " " + Duration.between(tick, began).toMillis() + " "
                    + (took == null ? "-" : took.toMillis()) + " " + outcome + cause + " "
                    + instance.substring(0, Math.min(instance.length(), LONGEST_NAME));
        }

        Run ended(RunEnd end) {
            Throwable thrown = end.thrown();
            String cause = thrown == null ? null : thrown.getClass().getName();
            return ended(end.took(), end.failed() ? FAILED : SUCCEEDED, cause);
        }

        Run ended(@Nullable Duration time, String how, @Nullable String cause) {
            return new Run(tick, began, time, how, cause, instance);
        }

        @Override
        public Instant end() {
            return tick;
        }
    }

    /** Ticks that nobody ran, and why, as far as the instance knows that ran the next one. */
    public record Missed(Instant tick, Instant end, int count, String reason) implements Entry {

        private static final Pattern TEXT = Pattern.compile("missed (\\S+) (\\S+) (\\d{1,9}) (\\S+)(?:\\s.*)?");

        static @Nullable Missed in(String line) {
            Matcher found = TEXT.matcher(line);
            try {
                return found.matches()
                        ? new Missed(
                                Instant.parse(found.group(1)),
                                Instant.parse(found.group(2)),
                                Integer.parseInt(found.group(3)),
                                found.group(4))
                        : null;
            } catch (DateTimeParseException e) {
                return null;
            }
        }

        String text() {
            return "missed " + tick + " " + end + " " + count + " " + reason;
        }
    }

    static TickRecord of(@Nullable String text) {
        Instant last = null;
        Instant succeeded = null;
        List<String> others = new ArrayList<>();
        for (String line : text == null ? List.<String>of() : text.lines().toList()) {
            Instant tick = time(TICK, line);
            Instant success = time(SUCCEEDED, line);
            if (tick != null) {
                last = tick;
            } else if (success != null) {
                succeeded = success;
            } else {
                others.add(line);
            }
        }
        return new TickRecord(last, succeeded, others);
    }

    private static @Nullable Instant time(String word, String line) {
        String[] words = line.split("\\s", 3);
        try {
            return words.length > 1 && words[0].equals(word) ? Instant.parse(words[1]) : null;
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    /** Returns whether this version can have written the text, or a later one that says more. */
    boolean isKnown() {
        return last != null || !entries().isEmpty() || others.isEmpty();
    }

    /** Returns what the lines say, the newest first. */
    public List<Entry> entries() {
        return others.stream().flatMap(TickRecord::entry).toList();
    }

    private static Stream<Entry> entry(String line) {
        Run run = Run.in(line);
        return Stream.ofNullable(run == null ? Missed.in(line) : run);
    }

    /** Returns the last tick of which anything is known; null if nothing is. */
    public @Nullable Instant newest() {
        return Stream.concat(Stream.ofNullable(last), entries().stream().map(Entry::end))
                .max(Comparator.naturalOrder())
                .orElse(null);
    }

    TickRecord withLast(Instant tick) {
        return new TickRecord(tick, succeeded, others);
    }

    TickRecord withSuccess(Instant tick) {
        return succeeded == null || tick.isAfter(succeeded) ? new TickRecord(last, tick, others) : this;
    }

    TickRecord with(List<? extends Entry> newestFirst) {
        Stream<String> lines = newestFirst.stream().map(TickRecord::line);
        return new TickRecord(
                last, succeeded, Stream.concat(lines, others.stream()).toList());
    }

    private static String line(Entry entry) {
        return entry instanceof Run run ? run.text() : ((Missed) entry).text();
    }

    /** Adds a run that begins once more, in place of what its attempts before have left. */
    TickRecord withAgain(Run run) {
        List<String> rest = others.stream()
                .filter(line -> entry(line).noneMatch(entry -> entry.tick().equals(run.tick())))
                .toList();
        return new TickRecord(last, succeeded, rest).with(List.of(run));
    }

    /** Replaces a run, if its line is still there. */
    TickRecord replaced(Run before, Run after) {
        if (!others.contains(before.text())) {
            return this;
        }
        List<String> lines = others.stream()
                .map(line -> line.equals(before.text()) ? after.text() : line)
                .toList();
        TickRecord replaced = new TickRecord(last, succeeded, lines);
        return after.outcome().equals(Run.SUCCEEDED) ? replaced.withSuccess(after.tick()) : replaced;
    }

    /** Leaves out the oldest lines that are too many. */
    String text() {
        StringBuilder text = new StringBuilder();
        int bytes = 0;
        int runs = 0;
        for (String line : Stream.of(
                        last == null ? Stream.<String>empty() : Stream.of(TICK + " " + last),
                        succeeded == null ? Stream.<String>empty() : Stream.of(SUCCEEDED + " " + succeeded),
                        others.stream())
                .flatMap(lines -> lines)
                .toList()) {
            String next = (text.isEmpty() ? "" : "\n") + line;
            bytes += next.getBytes(StandardCharsets.UTF_8).length;
            runs += Run.in(line) == null ? 0 : 1;
            if (bytes > LockRecord.MAX_BYTES || runs > MOST_RUNS) {
                break;
            }
            text.append(next);
        }
        return text.toString();
    }
}
