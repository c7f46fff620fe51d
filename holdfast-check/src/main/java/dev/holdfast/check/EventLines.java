package dev.holdfast.check;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The lines of one process of an instance, by their numbers, from all log files. The starter's {@code EventLog} writes them; other text may be before
 * and after the JSON. A process numbers its lines without a gap, from 1.
 */
record EventLines(String instance, Instant since, NavigableMap<Long, Event> events) {

    private static final String BEGIN = "{\"instance\":";

    /**
     * One event.
     *
     * @param token the fencing token; 0 if there is none
     * @param at when the line was written, by the instance's clock
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

    /** Lines that are not in the files, between two that are. */
    record Gap(long missing, Instant from, Instant to) {}

    /** @throws IllegalArgumentException if a file has no line of an event, with its name */
    static List<EventLines> read(List<Path> files) {
        Map<List<Object>, EventLines> processes = new LinkedHashMap<>();
        for (Path file : files) {
            boolean found = false;
            // A log may have text in another encoding, which is replaced here and not refused.
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    Map<?, ?> fields = fields(line);
                    found |= fields != null && add(fields, processes);
                }
            } catch (IOException e) {
                throw new IllegalArgumentException(file + " cannot be read: " + e.getMessage(), e);
            }
            if (!found) {
                throw new IllegalArgumentException(file + " has no line of the logger dev.holdfast.lock.events");
            }
        }
        return List.copyOf(processes.values());
    }

    /** Returns the event in a line, which may also be a text inside of JSON, as structured logs have it; null if there is none. */
    private static @Nullable Map<?, ?> fields(String line) {
        int begin = line.indexOf(BEGIN);
        try {
            if (begin >= 0) {
                return Json.parse(line.substring(begin, line.lastIndexOf('}') + 1)) instanceof Map<?, ?> map
                        ? map
                        : null;
            }
            if (line.contains("{\\\"instance\\\":") && Json.parse(line) instanceof Map<?, ?> structured) {
                for (Object value : structured.values()) {
                    if (value instanceof String text && text.startsWith(BEGIN)) {
                        return fields(text);
                    }
                }
            }
        } catch (RuntimeException cutOff) {
            // The gap in the numbers shows that a line is missing.
        }
        return null;
    }

    private static boolean add(Map<?, ?> fields, Map<List<Object>, EventLines> processes) {
        try {
            String instance = text(fields, "instance");
            Instant since = Instant.parse(text(fields, "since"));
            Event event = new Event(
                    text(fields, "event"),
                    text(fields, "lock"),
                    text(fields, "kind"),
                    number(fields, "token"),
                    Instant.parse(text(fields, "at")),
                    number(fields, "waitedMicros"),
                    number(fields, "heldMicros"),
                    number(fields, "unconfirmedMicros"),
                    Boolean.TRUE.equals(fields.get("handedOver")),
                    (String) fields.get("cause"));
            processes
                    .computeIfAbsent(
                            List.of(instance, since), first -> new EventLines(instance, since, new TreeMap<>()))
                    .events
                    .put(number(fields, "number"), event);
            return true;
        } catch (RuntimeException otherFields) {
            return false;
        }
    }

    private static String text(Map<?, ?> fields, String name) {
        if (fields.get(name) instanceof String text) {
            return text;
        }
        throw new IllegalArgumentException("'" + name + "' is missing");
    }

    /** All numbers are read as text, so that none is rounded. */
    private static long number(Map<?, ?> fields, String name) {
        return fields.get(name) instanceof String text ? Long.parseLong(text) : 0;
    }

    /** Returns how many lines of the process came before the first one that is known. */
    long before() {
        return events.firstKey() - 1;
    }

    Instant first() {
        return events.firstEntry().getValue().at();
    }

    Instant last() {
        return events.lastEntry().getValue().at();
    }

    List<Gap> gaps() {
        List<Gap> gaps = new ArrayList<>();
        Map.Entry<Long, Event> before = events.firstEntry();
        for (Map.Entry<Long, Event> line : events.entrySet()) {
            long missing = line.getKey() - before.getKey() - 1;
            if (missing > 0) {
                gaps.add(
                        new Gap(missing, before.getValue().at(), line.getValue().at()));
            }
            before = line;
        }
        return gaps;
    }
}
