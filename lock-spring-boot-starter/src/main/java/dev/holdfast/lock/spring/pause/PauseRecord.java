package dev.holdfast.lock.spring.pause;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.LockRecord.Reading;
import dev.holdfast.lock.spring.LockPause;
import dev.holdfast.lock.spring.call.AroundLock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All pauses of the fleet, in the record of one lock: a line for each has its end, the lock's name, who set it, and why, with tabs between them. A
 * later version may add parts to a line, which stay as they are until that pause changes, and other lines, which stay for 30 days from the last change.
 * The record ends with the last pause. The server's clock decides which pauses have ended.
 */
record PauseRecord(LockClient client) {

    /** The lock under which pauses are changed. */
    static final String LOCK = "holdfast-pauses";

    private static final Duration WAIT = Duration.ofSeconds(2);

    /** How long an empty text is kept: the shortest time that a record takes. */
    private static final Duration NOT_AT_ALL = Duration.ofMillis(1);

    /** How long lines are kept whose end is not known: as long as the longest pause. */
    private static final Duration LONGEST_KEEP = Duration.ofDays(30);

    /** Returns the pause of a lock. In blocking mode, the answer is complete when it is returned. */
    CompletableFuture<Optional<LockPause>> find(String declaredName, boolean blocking) {
        return reading(blocking).thenApply(reading -> find(declaredName, pauses(reading)));
    }

    private CompletableFuture<Reading> reading(boolean blocking) {
        LockRecord record = client.getRecord(LOCK);
        return AroundLock.answer(blocking, record::read, record::readAsync);
    }

    List<LockPause> all() {
        return pauses(client.getRecord(LOCK).read());
    }

    static Optional<LockPause> find(String name, List<LockPause> pauses) {
        return pauses.stream().filter(pause -> pause.name().equals(name)).findFirst();
    }

    /** What was changed: the pause before, and the one after. Either is null if there is none. */
    record Change(@Nullable LockPause before, @Nullable LockPause after) {}

    /** Replaces the pause of that name by what is made of the server's time; by nothing if that is null. */
    Change replace(String name, Function<Instant, @Nullable LockPause> pauseAt) {
        try (Lease lease =
                client.getLock(LOCK).acquire(AcquireOptions.defaults().waitAtMost(WAIT))) {
            LockRecord record = client.getRecord(LOCK);
            Reading reading = record.read();
            List<Line> before = lines(reading);
            List<String> unknown = unknownLines(reading);
            LockPause pause = pauseAt.apply(reading.time());
            List<Line> after = Stream.concat(
                            Stream.ofNullable(pause).map(Line::of),
                            before.stream()
                                    .filter(other -> !other.pause().name().equals(name)))
                    .sorted(Comparator.comparing(line -> line.pause().name()))
                    .toList();
            if (!after.equals(before)) {
                record.write(
                        lease, text(after, unknown), unknown.isEmpty() ? keep(after, reading.time()) : LONGEST_KEEP);
            }
            return new Change(find(name, pauses(reading)).orElse(null), pause);
        }
    }

    private static Duration keep(List<Line> lines, Instant now) {
        return lines.stream()
                .map(line -> Duration.between(now, line.pause().until()))
                .max(Comparator.naturalOrder())
                .orElse(NOT_AT_ALL);
    }

    private static String text(List<Line> lines, List<String> unknown) {
        String text =
                Stream.concat(lines.stream().map(Line::text), unknown.stream()).collect(Collectors.joining("\n"));
        if (text.getBytes(StandardCharsets.UTF_8).length > LockRecord.MAX_BYTES) {
            throw new IllegalArgumentException("There are " + lines.size() + " pauses, whose texts have more than "
                    + LockRecord.MAX_BYTES + " bytes. End one of them, or shorten the reason");
        }
        return text;
    }

    private static List<LockPause> pauses(Reading reading) {
        return lines(reading).stream().map(Line::pause).toList();
    }

    /** Leaves out what has ended, and what has not this form. */
    private static List<Line> lines(Reading reading) {
        String text = reading.text();
        return text == null
                ? List.of()
                : text.lines()
                        .flatMap(Line::in)
                        .filter(line -> line.pause().until().isAfter(reading.time()))
                        .toList();
    }

    /** Lines of a later version. It is not known when they end. */
    private static List<String> unknownLines(Reading reading) {
        String text = reading.text();
        return text == null
                ? List.of()
                : text.lines()
                        .filter(line ->
                                !line.isBlank() && Line.in(line).findAny().isEmpty())
                        .toList();
    }

    private record Line(String text, LockPause pause) {

        static Line of(LockPause pause) {
            String by = pause.by() == null ? "" : pause.by();
            return new Line(String.join("\t", pause.until().toString(), pause.name(), by, pause.reason()), pause);
        }

        static Stream<Line> in(String text) {
            String[] parts = text.split("\t", -1);
            if (parts.length < 4) {
                return Stream.empty();
            }
            String by = parts[2].isEmpty() ? null : parts[2];
            try {
                return Stream.of(new Line(text, new LockPause(parts[1], Instant.parse(parts[0]), by, parts[3])));
            } catch (DateTimeParseException e) {
                return Stream.empty();
            }
        }
    }
}
