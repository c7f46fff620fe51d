package dev.holdfast.lock.spring.pause;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.LockRecord.Reading;
import dev.holdfast.lock.spring.LockPause;
import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.RecordLines;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
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
        LockRecord record = client.getRecord(LOCK);
        return AroundLock.answer(blocking, record::read, record::readAsync)
                .thenApply(reading -> find(declaredName, pauses(reading)));
    }

    List<LockPause> all() {
        return pauses(client.getRecord(LOCK).read());
    }

    static Optional<LockPause> find(String name, List<LockPause> pauses) {
        return pauses.stream().filter(pause -> pause.name().equals(name)).findFirst();
    }

    /** Replaces the pause of that name by what is made of the server's time; by nothing if that is null. Returns the pause before. */
    Optional<LockPause> replace(String name, Function<Instant, @Nullable LockPause> pauseAt) {
        try (Lease lease =
                client.getLock(LOCK).acquire(AcquireOptions.defaults().waitAtMost(WAIT))) {
            LockRecord record = client.getRecord(LOCK);
            Reading reading = record.read();
            RecordLines before = lines(reading);
            LockPause pause = pauseAt.apply(reading.time());
            RecordLines after = before.without(line -> {
                        LockPause other = pause(line);
                        return other != null && other.name().equals(name);
                    })
                    .after(Stream.ofNullable(pause).map(PauseRecord::line));
            if (after.areTooMany()) {
                throw new IllegalArgumentException(
                        "There are " + after.all().size() + " pauses, whose texts have more than "
                                + LockRecord.MAX_BYTES + " bytes. End one of them, or shorten the reason");
            }
            if (!after.equals(before)) {
                record.write(lease, after.text(), keep(after, reading.time()));
            }
            return find(name, pauses(reading));
        }
    }

    /** Returns the time until the last pause ends. It is not known when lines of a later version end. */
    private static Duration keep(RecordLines lines, Instant now) {
        return lines.all().stream()
                .map(PauseRecord::pause)
                .map(pause -> pause == null ? LONGEST_KEEP : Duration.between(now, pause.until()))
                .max(Comparator.naturalOrder())
                .orElse(NOT_AT_ALL);
    }

    private static List<LockPause> pauses(Reading reading) {
        return lines(reading)
                .say(PauseRecord::pause)
                .sorted(Comparator.comparing(LockPause::name))
                .toList();
    }

    /** Leaves out what has ended. */
    private static RecordLines lines(Reading reading) {
        return RecordLines.of(reading.text()).without(line -> {
            LockPause pause = pause(line);
            return pause != null && !pause.until().isAfter(reading.time());
        });
    }

    private static String line(LockPause pause) {
        String by = pause.by() == null ? "" : pause.by();
        return String.join("\t", pause.until().toString(), pause.name(), by, pause.reason());
    }

    /** Returns the pause of a line; null if this version cannot have written it. */
    private static @Nullable LockPause pause(String line) {
        String[] parts = line.split("\t", -1);
        try {
            return parts.length < 4
                    ? null
                    : new LockPause(parts[1], Instant.parse(parts[0]), parts[2].isEmpty() ? null : parts[2], parts[3]);
        } catch (DateTimeParseException e) {
            return null;
        }
    }
}
