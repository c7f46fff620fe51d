package dev.holdfast.lock.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one instance answered to {@code /actuator/locks?journal}. The names are those of {@code LockJournal} of the starter.
 *
 * @param completeSince since when it has all events, by the instance's clock
 * @param readAt until when it has all events
 */
record LockJournalFile(
        String instance,
        Instant startedAt,
        Instant completeSince,
        Instant readAt,
        long overwritten,
        long missing,
        List<ServerChange> serverChanges,
        List<Event> events) {

    private static final String FORMAT = "1";

    /**
     * One event.
     *
     * @param token the fencing token; 0 if there is none
     * @param waitedMicros 0 if it is not said, and so for the next two
     */
    record Event(
            String event,
            String lock,
            String kind,
            long token,
            Instant at,
            long waitedMicros,
            long heldMicros,
            long unconfirmedMicros,
            boolean handedOver,
            @Nullable String cause) {}

    /** Redis was another server when it was asked again. */
    record ServerChange(Instant sameUntil, Instant noticedAt) {}

    /** @throws IllegalArgumentException if the file is no journal, with its name and the reason */
    static LockJournalFile read(Path file) {
        try {
            return of(Fields.of(Json.parse(Files.readString(file))));
        } catch (IOException | RuntimeException e) {
            throw new IllegalArgumentException(
                    file + " is no journal of /actuator/locks?journal: " + e.getMessage(), e);
        }
    }

    private static LockJournalFile of(Fields journal) {
        if (!journal.text("format").equals(FORMAT)) {
            throw new IllegalArgumentException(
                    "its format is " + journal.text("format") + ", and this version reads " + FORMAT);
        }
        List<Event> events = new ArrayList<>();
        for (Fields each : journal.list("events")) {
            events.add(new Event(
                    each.text("event"),
                    each.text("lock"),
                    each.text("kind"),
                    each.number("token"),
                    Instant.parse(each.text("at")),
                    each.number("waitedMicros"),
                    each.number("heldMicros"),
                    each.number("unconfirmedMicros"),
                    Boolean.TRUE.equals(each.all().get("handedOver")),
                    (String) each.all().get("cause")));
        }
        List<ServerChange> changes = new ArrayList<>();
        for (Fields each :
                journal.all().containsKey("serverChanges") ? journal.list("serverChanges") : List.<Fields>of()) {
            changes.add(new ServerChange(Instant.parse(each.text("sameUntil")), Instant.parse(each.text("noticedAt"))));
        }
        return new LockJournalFile(
                journal.text("instance"),
                Instant.parse(journal.text("startedAt")),
                Instant.parse(journal.text("completeSince")),
                Instant.parse(journal.text("readAt")),
                journal.number("overwritten"),
                journal.number("missing"),
                changes,
                events);
    }

    private record Fields(Map<?, ?> all) {

        static Fields of(@Nullable Object value) {
            if (value instanceof Map<?, ?> map) {
                return new Fields(map);
            }
            throw new IllegalArgumentException("an object was expected");
        }

        String text(String name) {
            Object value = all.get(name);
            if (value instanceof String text) {
                return text;
            }
            throw new IllegalArgumentException("'" + name + "' is missing");
        }

        /** A number may be text, because JavaScript's numbers are not exact. */
        long number(String name) {
            return all.get(name) instanceof String text ? Long.parseLong(text) : 0;
        }

        List<Fields> list(String name) {
            if (all.get(name) instanceof List<?> list) {
                return list.stream().map(Fields::of).toList();
            }
            throw new IllegalArgumentException("'" + name + "' is missing");
        }
    }
}
