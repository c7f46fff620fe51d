package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.spring.call.AroundLock.RunEnd;
import dev.holdfast.lock.spring.call.RecordLines;
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
 * succeeded, and, the newest first, runs and ticks that nobody ran. A later version may add words and lines, which stay.
 *
 * @param last the last tick that counts
 * @param succeeded the tick of the last successful run
 * @param others all other lines
 */
record TickRecord(@Nullable Instant last, @Nullable Instant succeeded, RecordLines others) {

    private static final String TICK = "tick";
    private static final String SUCCEEDED = "succeeded";

    private static final int MOST_RUNS = 20;

    /** What happened to one tick, or to several that nobody ran. */
    public sealed interface Note {
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
            implements Note {

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
    public record Gap(Instant tick, Instant end, int count, String reason) implements Note {

        private static final Pattern TEXT = Pattern.compile("missed (\\S+) (\\S+) (\\d{1,9}) (\\S+)(?:\\s.*)?");

        static @Nullable Gap in(String line) {
            Matcher found = TEXT.matcher(line);
            try {
                return found.matches()
                        ? new Gap(
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
        RecordLines lines = RecordLines.of(text);
        return new TickRecord(
                lines.say(line -> time(TICK, line)).findFirst().orElse(null),
                lines.say(line -> time(SUCCEEDED, line)).findFirst().orElse(null),
                lines.without(line -> time(TICK, line) != null || time(SUCCEEDED, line) != null));
    }

    private static @Nullable Instant time(String word, String line) {
        if (!line.startsWith(word)) {
            return null;
        }
        String[] words = line.split("\\s", 3);
        try {
            return words.length > 1 && words[0].equals(word) ? Instant.parse(words[1]) : null;
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    /** Returns whether this version can have written the text, or a later one that says more. */
    boolean isKnown() {
        return last != null || others.all().isEmpty() || !notes().isEmpty();
    }

    /** Returns what the lines say, the newest first. */
    public List<Note> notes() {
        return others.say(TickRecord::note).toList();
    }

    private static @Nullable Note note(String line) {
        Run run = Run.in(line);
        return run == null ? Gap.in(line) : run;
    }

    /** Returns the last tick of which anything is known; null if nothing is. */
    public @Nullable Instant newest() {
        return Stream.concat(Stream.ofNullable(last), notes().stream().map(Note::end))
                .max(Comparator.naturalOrder())
                .orElse(null);
    }

    TickRecord withLast(Instant tick) {
        return new TickRecord(tick, succeeded, others);
    }

    TickRecord withSuccess(Instant tick) {
        return succeeded == null || tick.isAfter(succeeded) ? new TickRecord(last, tick, others) : this;
    }

    TickRecord with(List<? extends Note> newestFirst) {
        return new TickRecord(last, succeeded, others.after(newestFirst.stream().map(TickRecord::line)));
    }

    private static String line(Note note) {
        return note instanceof Run run ? run.text() : ((Gap) note).text();
    }

    /** Adds a run that begins once more, in place of what its attempts before have left. */
    TickRecord withAgain(Run run) {
        RecordLines rest = others.without(line -> {
            Note note = note(line);
            return note != null && note.tick().equals(run.tick());
        });
        return new TickRecord(last, succeeded, rest).with(List.of(run));
    }

    /** Replaces a run, if its line is still there. */
    TickRecord replaced(Run before, Run after) {
        if (!others.all().contains(before.text())) {
            return this;
        }
        RecordLines lines = new RecordLines(others.all().stream()
                .map(line -> line.equals(before.text()) ? after.text() : line)
                .toList());
        TickRecord replaced = new TickRecord(last, succeeded, lines);
        return after.outcome().equals(Run.SUCCEEDED) ? replaced.withSuccess(after.tick()) : replaced;
    }

    /** Leaves out the oldest lines that are too many. */
    String text() {
        List<String> lines = new ArrayList<>();
        Stream.ofNullable(last).map(tick -> TICK + " " + tick).forEach(lines::add);
        Stream.ofNullable(succeeded).map(tick -> SUCCEEDED + " " + tick).forEach(lines::add);
        int runs = 0;
        for (String line : others.all()) {
            runs += Run.in(line) == null ? 0 : 1;
            if (runs > MOST_RUNS) {
                break;
            }
            lines.add(line);
        }
        return new RecordLines(lines).text();
    }
}
