package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.simulation.SimulatedServer.Execution;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The scripts of an earlier version of the library, from the folder {@code previous}, with that version's arguments and answers. What they write is
 * what fleets of two versions share. The files are never changed: a change of the format in Redis would need another version of it.
 */
final class PreviousScripts {

    private static final Pattern HEAD = Pattern.compile("^-- Begins with (\\S+)\\.lua", Pattern.MULTILINE);
    private static final Map<String, Script> SCRIPTS = new ConcurrentHashMap<>();

    private static final String TOKEN = "holdfast:token";
    private static final String WAKE = "holdfast:wake:";
    private static final String NO_CLUSTER = "0";

    private PreviousScripts() {}

    /** Does what a present script is asked for as the earlier version did it, and answers as the present script. */
    static List<Object> run(Script present, List<String> keys, List<String> args, Execution server) {
        String name = present.name();
        String lock = keys.isEmpty() ? "" : keys.get(0);
        List<String> queue = List.of("redisson_lock_queue:{" + lock + "}", "redisson_lock_timeout:{" + lock + "}");
        String own = args.isEmpty() ? "" : args.get(0);
        return switch (name) {
            case "acquire", "semaphore-acquire" -> server.run(script(name), keys, ttlFirst(args));
            case "read-acquire", "write-acquire" -> {
                List<String> all = new ArrayList<>(ttlFirst(args));
                all.add(3, holds(lock));
                all.addAll(5, List.of(WAKE, NO_CLUSTER));
                yield grant(server.run(script(name), join(List.of(lock, TOKEN, hold(lock, own)), queue), all));
            }
            case "rw-release" -> {
                List<String> all = join(args, List.of(holds(lock), "redisson_rwlock:{" + lock + "}", NO_CLUSTER, WAKE));
                yield release(server.run(script(name), join(List.of(lock, hold(lock, own)), queue), all));
            }
            case "rw-renew" -> renewed(keys, args, server);
            case "multi-acquire" -> grant(server.run(script(name), join(List.of(TOKEN), keys), ttlFirst(args)));
            case "multi-release" -> {
                List<String> all = new ArrayList<>(List.of(own, args.get(2), NO_CLUSTER, WAKE, args.get(1)));
                keys.forEach(key -> all.add("redisson_lock__channel:{" + key + "}"));
                yield release(server.run(script(name), join(List.of(TOKEN), keys), all));
            }
            case "inspect" -> server.run(script(name), List.of(lock, queue.get(0)), List.of(holds(lock), args.get(0)));
            case "force" ->
                server.run(
                        script(name),
                        join(List.of(lock, TOKEN), queue),
                        List.of(
                                "redisson_lock__channel:{" + lock + "}",
                                NO_CLUSTER,
                                "redisson_rwlock:{" + lock + "}",
                                holds(lock),
                                WAKE));
            case "raise" -> grant(server.run(script(name), keys, args));
            default -> server.run(script(name), keys, args);
        };
    }

    private static List<String> join(List<String> first, List<String> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    private static List<String> ttlFirst(List<String> args) {
        return join(List.of(args.get(0), args.get(2), args.get(1)), args.subList(3, args.size()));
    }

    private static String holds(String lock) {
        return "{" + lock + "}";
    }

    private static String hold(String lock, String field) {
        return holds(lock) + ":" + field + ":rwlock_timeout:1";
    }

    /** The earlier version began each grant with a 1. */
    private static List<Object> grant(List<Object> answer) {
        boolean granted = answer.get(0).equals(1L) && answer.size() == 2;
        return !granted ? answer : answer.get(1).equals(0L) ? List.of(1L) : answer.subList(1, 2);
    }

    /** The earlier version named the owner's part and the listeners apart. */
    private static List<Object> release(List<Object> answer) {
        return answer.get(0).equals(1L) ? answer.subList(1, 2) : List.of(-2L);
    }

    /** The earlier version noted a longer lease of a reader or writer only in a script for one of them. */
    private static List<Object> renewed(List<String> keys, List<String> args, Execution server) {
        List<Object> answers = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            String field = args.get(2 * i);
            answers.addAll(server.run(
                    script("rw-extend"),
                    List.of(keys.get(i), hold(keys.get(i), field)),
                    List.of(field, args.get(2 * i + 1))));
        }
        return answers;
    }

    private static Script script(String name) {
        return SCRIPTS.computeIfAbsent(name, key -> {
            Map<String, String> files = new LinkedHashMap<>();
            read(name, files);
            return new Script("previous " + name, String.join("", files.values()), "");
        });
    }

    /** The files that a file says it begins with, then the file; each once. */
    private static void read(String name, Map<String, String> files) {
        try (InputStream file = PreviousScripts.class.getResourceAsStream("previous/" + name + ".lua")) {
            String text = new String(Objects.requireNonNull(file, name).readAllBytes(), StandardCharsets.UTF_8);
            Matcher head = HEAD.matcher(text);
            while (head.find()) {
                if (!files.containsKey(head.group(1))) {
                    read(head.group(1), files);
                }
            }
            files.put(name, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
