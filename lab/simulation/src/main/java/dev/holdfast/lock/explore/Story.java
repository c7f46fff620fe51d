package dev.holdfast.lock.explore;

import dev.holdfast.lock.internal.connection.Script;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The shortest way to a broken promise, as a table that a person reads. */
final class Story {

    private static final Pattern OWNER = Pattern.compile("client([A-Z])A{15}(:\\d+:(\\d+)((?::\\d+)*(?::write)?))?");
    private static final Pattern TOKEN = Pattern.compile("\\d{19}");

    private record Line(double ms, String who, String what, String redis) {}

    private final String title;
    private final Promises.Broken broken;
    private final List<Line> lines;
    private final Map<String, String> tokens = new HashMap<>();

    private Story(String title, Promises.Broken broken, List<Line> lines) {
        this.title = title;
        this.broken = broken;
        this.lines = lines;
    }

    /** Tells what happens if the choices with these numbers are taken. */
    static String tell(Scenario scenario, UnaryOperator<Script> scripts, int[] path) {
        try (Situation situation = new Situation(scenario, scripts)) {
            List<Line> lines = new ArrayList<>();
            for (int number : path) {
                Choice choice = situation.choices().get(number);
                StringBuilder what = new StringBuilder(choice.what().get());
                situation.takeNotes();
                situation.take(choice);
                situation
                        .takeNotes()
                        .forEach(note -> what.append(
                                note.isEmpty() || note.startsWith(":") || note.startsWith(",") ? note : "; " + note));
                lines.add(new Line(
                        TimeUnit.NANOSECONDS.toMicros(situation.now()) / 1000.0,
                        choice.who(),
                        what.toString(),
                        situation.redis()));
            }
            Promises.Broken broken = situation.promises.broken();
            return new Story(scenario.name(), broken == null ? new Promises.Broken("", "") : broken, lines).table();
        }
    }

    private String table() {
        StringBuilder table = new StringBuilder();
        table.append(title).append(": \"").append(broken.promise()).append("\" is broken: ");
        table.append(readable(broken.how())).append("\n\n");
        table.append("| ms | who | what happens | Redis afterward |\n| ---: | --- | --- | --- |\n");
        String before = "";
        for (Line line : lines) {
            String redis = readable(line.redis);
            table.append(String.format(
                    Locale.ROOT,
                    "| %.1f | %s | %s | %s |%n",
                    line.ms,
                    line.who,
                    readable(line.what),
                    redis.equals(before) ? "" : redis.isEmpty() ? "nothing" : redis));
            before = redis;
        }
        return table.toString();
    }

    /** Replaces owner ids and tokens by short names. */
    private String readable(String text) {
        String named = OWNER.matcher(text)
                .replaceAll(found -> found.group(2) == null
                        ? found.group(1)
                        : found.group(1)
                                + found.group(3)
                                + (found.group(4).matches("(:\\d+)+:0(:write)?") ? " (kept)" : "")
                                + (found.group(4).endsWith(":write") ? " (writes)" : ""));
        Matcher token = TOKEN.matcher(named);
        return token.replaceAll(
                found -> tokens.computeIfAbsent(found.group(), number -> "token " + (tokens.size() + 1)));
    }

    /** Returns what Redis has answered, in words where a script's answer has a meaning for its caller. */
    static String answer(Wire.Request<?> request) {
        String outcome = request.outcome();
        String script = request.script.name();
        if (!request.wasRun() || request.values().isEmpty()) {
            return ": " + outcome;
        }
        List<Object> values = request.values();
        if (script.endsWith("acquire")) {
            return values.get(0).equals(0L)
                    ? ", which refuses: " + refusal(values)
                    : ", which grants: " + values.get(values.size() > 1 ? 1 : 0);
        } else if (script.endsWith("release") || script.endsWith("force")) {
            return values.get(0).equals(-2L) ? ", which does not find the lock" : "";
        } else if (script.endsWith("renew") || script.endsWith("assert")) {
            return values.stream().allMatch(value -> value.equals(1L)) ? "" : ", which does not prolong: " + values;
        }
        return ": " + outcome;
    }

    private static String refusal(List<Object> values) {
        String holder = String.valueOf(values.get(2));
        long flags = (Long) values.get(4);
        String why = flags >= 4 ? "the slot is closed" : holder.isEmpty() ? "it is taken" : holder + " has it";
        return why + ", for " + values.get(1) + " ms";
    }

    static String message(Wire.Message message) {
        if (message.text() == null) {
            return message.isRefusal() ? "that it may not subscribe" : "the confirmation of its subscription";
        }
        return "the message '" + message.text() + "'";
    }

    /** Returns what a key says to a reader; nothing for deadlines and numbers. */
    static String key(Server.Key key) {
        String left = key.millisLeft() < 0 ? " without an end" : " for " + key.millisLeft() + " ms";
        if (key.name().startsWith(Server.PLACES) && key.value() instanceof List<?> queue) {
            return "in the queue: " + queue;
        } else if (key.value() instanceof Map<?, ?> && !key.name().startsWith("redisson_lock_timeout:")) {
            return key.name() + ": " + String.join(", ", key.owners()) + left;
        } else if (key.name().contains(":rwlock_timeout:")) {
            return "hold of "
                    + key.name().substring(key.name().indexOf(':') + 1).replace(":rwlock_timeout:1", "") + left;
        } else if (key.name().startsWith(Server.RECORDS)) {
            return "record " + key.value() + left;
        }
        return "";
    }
}
