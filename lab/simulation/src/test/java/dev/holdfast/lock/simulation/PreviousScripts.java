package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.simulation.SimulatedServer.Execution;
import dev.holdfast.lock.testing.PreviousVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** The scripts of the {@link PreviousVersion}, with that version's arguments and answers. What they write is what fleets of two versions share. */
final class PreviousScripts {

    private static final String FOLDER = "dev/holdfast/lock/internal/protocol/lua/";
    private static final Map<String, Script> SCRIPTS = new ConcurrentHashMap<>();

    private static final String TOKEN = "holdfast:token";
    private static final String WAKE = "holdfast:wake:";
    private static final String NO_CLUSTER = "0";

    /** The scripts that the earlier version had not. They are compared with themselves. */
    static final Set<String> NEW = Set.of("record-read", "record-write", "guarded-set", "request-stop");

    private PreviousScripts() {}

    /** Does what a present script is asked for as the earlier version did it, and answers as the present script. */
    static List<Object> run(Script present, List<String> keys, List<String> args, Execution server) {
        String name = present.name();
        String lock = keys.isEmpty() ? "" : keys.get(0);
        List<String> queue = List.of("redisson_lock_queue:{" + lock + "}", "redisson_lock_timeout:{" + lock + "}");
        String own = args.isEmpty() ? "" : args.get(0);
        return switch (name) {
            case "acquire", "semaphore-acquire" ->
                prolonged(name, keys, args, server.run(script(name), keys, ttlFirst(args)), server);
            case "read-acquire", "write-acquire" -> {
                List<String> all = new ArrayList<>(ttlFirst(args));
                all.add(3, holds(lock));
                all.addAll(5, List.of(WAKE, NO_CLUSTER));
                List<Object> answer =
                        grant(server.run(script(name), join(List.of(lock, TOKEN, hold(lock, own)), queue), all));
                yield prolonged(name, keys, args, answer, server);
            }
            case "rw-release" -> {
                List<String> all = join(args, List.of(holds(lock), "redisson_rwlock:{" + lock + "}", NO_CLUSTER, WAKE));
                yield release(server.run(script(name), join(List.of(lock, hold(lock, own)), queue), all));
            }
            case "rw-renew" -> {
                // The earlier version named no token.
                List<String> all = new ArrayList<>();
                for (int i = 0; i < args.size(); i += 3) {
                    all.addAll(args.subList(i, i + 2));
                }
                yield server.run(script(name), withHolds(keys, all), all);
            }
            case "multi-acquire" -> grant(server.run(script(name), join(List.of(TOKEN), keys), ttlFirst(args)));
            case "multi-release" -> {
                List<String> all = new ArrayList<>(List.of(own, args.get(2), NO_CLUSTER, WAKE, args.get(1)));
                keys.forEach(key -> all.add("redisson_lock__channel:{" + key + "}"));
                yield release(server.run(script(name), join(List.of(TOKEN), keys), all));
            }
            case "inspect" -> {
                List<Object> answer = new ArrayList<>(
                        server.run(script(name), List.of(lock, queue.get(0)), List.of(holds(lock), args.get(0))));
                // The earlier version knew no request to stop.
                answer.add(5, 0L);
                yield answer;
            }
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
            default -> server.run(NEW.contains(name) ? present : script(name), keys, args);
        };
    }

    private static List<String> join(List<String> first, List<String> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    /** If the lifetime of a place is left out, the earlier version took another one. */
    private static List<String> ttlFirst(List<String> args) {
        List<String> rest = args.size() == 3 ? List.of("5000.5") : args.subList(3, args.size());
        return join(List.of(args.get(0), args.get(2), args.get(1)), rest);
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

    /** Sends what the earlier client sent if it had found its own grant, and that was too short: a renewal. */
    private static List<Object> prolonged(
            String acquire, List<String> keys, List<String> args, List<Object> answer, Execution server) {
        long ttl = Long.parseLong(args.get(2));
        if (answer.size() != 3 || answer.get(0).equals(0L) || (long) answer.get(2) >= ttl) {
            return answer;
        }
        String renewal = acquire.equals("acquire")
                ? "renew"
                : acquire.equals("semaphore-acquire") ? "semaphore-renew" : "rw-renew";
        run(
                Script.of(renewal, ""),
                keys.subList(0, 1),
                List.of(args.get(0), args.get(2), answer.get(1).toString()),
                server);
        return List.of(1L, answer.get(1), ttl);
    }

    /** The earlier version named the owner's part and the listeners apart. */
    private static List<Object> release(List<Object> answer) {
        return answer.get(0).equals(1L) ? answer.subList(1, 2) : List.of(-2L);
    }

    private static List<String> withHolds(List<String> locks, List<String> args) {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < locks.size(); i++) {
            keys.addAll(List.of(locks.get(i), hold(locks.get(i), args.get(2 * i))));
        }
        return keys;
    }

    private static Script script(String name) {
        return SCRIPTS.computeIfAbsent(
                name, key -> Script.of("previous " + name, PreviousVersion.text(FOLDER + name + ".lua")));
    }
}
