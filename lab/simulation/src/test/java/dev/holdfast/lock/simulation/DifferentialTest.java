package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.simulation.RealRedis.Key;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * A script gives the same answer, and leaves the same keys, in memory and on a real Redis. The calls are those of simulated fleets: every script, with
 * every shape of arguments that clients have. Each begins from what the server in memory has at that moment, at that server's time.
 */
class DifferentialTest {

    private static final int CALLS = Integer.getInteger("differential.calls", 2_000);
    /** A real clock goes on while a script is on its way. */
    private static final long REAL_TIME_MILLIS = 2_000;

    private static final long TOO_SHORT_MILLIS = 100;
    private static final int TRIES = 5;

    private static final RealRedis REAL = new RealRedis(RedisServer.shared());

    private final Map<String, Integer> calls = new TreeMap<>();
    private final List<String> differences = new ArrayList<>();
    private int count;

    @AfterAll
    static void close() {
        REAL.close();
    }

    @Test
    void memoryAndRedisAgree() {
        for (long seed = 1; count < CALLS && differences.isEmpty(); seed++) {
            Simulation.run(
                    Planner.of(seed),
                    server -> (script, keys, args, execution) ->
                            compared(server, script, keys, args, () -> execution.run(script, keys, args)));
        }

        System.out.println(count + " calls: " + calls);
        assertThat(differences).isEmpty();
        assertThat(calls.keySet()).contains("acquire", "release", "renew", "read-acquire", "write-acquire");
    }

    private List<Object> compared(
            SimulatedServer server, Script script, List<String> keys, List<String> args, Supplier<List<Object>> run) {
        if (count >= CALLS || !differences.isEmpty() || server.refusal != SimulatedServer.Refusal.NONE) {
            return run.get();
        }
        Map<String, Key> before = RealRedis.state(server);
        if (before.values().stream().anyMatch(key -> key.left() >= 0 && key.left() < TOO_SHORT_MILLIS)) {
            // It might end on the real clock before the script runs.
            return run.get();
        }
        List<?> time = (List<?>) server.look("time");
        List<Object> answer = List.of();
        RedisFailure refused = null;
        try {
            answer = run.get();
        } catch (RedisFailure failure) {
            refused = failure;
        }
        Map<String, Key> after = RealRedis.state(server);
        StringBuilder world = new StringBuilder(time.get(0) + "," + time.get(1));
        server.heard.forEach(number -> world.append(',').append(number));
        count++;
        calls.merge(script.name(), 1, Integer::sum);
        String difference = "";
        for (int i = 0; i < TRIES; i++) {
            difference = difference(before, after, answer, refused, script, keys, args, world.toString());
            if (difference.isEmpty()) {
                break;
            }
        }
        if (!difference.isEmpty()) {
            differences.add(script.name() + " " + keys + " " + args + " with " + before + ": " + difference);
        }
        if (refused != null) {
            throw refused;
        }
        return answer;
    }

    private static String difference(
            Map<String, Key> before,
            Map<String, Key> after,
            List<Object> answer,
            RedisFailure refused,
            Script script,
            List<String> keys,
            List<String> args,
            String world) {
        REAL.load(before);
        List<Object> real;
        try {
            real = REAL.run(script, keys, args, world);
        } catch (RedisCommandExecutionException failure) {
            return refused != null && code(refused).equals(code(failure))
                    ? ""
                    : "real Redis refuses: " + failure.getMessage();
        }
        if (refused != null) {
            return "memory refuses: " + refused.getMessage();
        }
        Map<String, Key> there = REAL.dump();
        if (!isAlike(answer, real)) {
            return "memory answers " + answer + ", Redis " + real;
        }
        Set<String> names = after.keySet();
        if (!names.equals(there.keySet())) {
            return "memory has " + after + ", Redis " + there;
        }
        for (String name : names) {
            Key mine = after.get(name);
            Key its = there.get(name);
            if (!mine.content().equals(its.content()) || !isAlike(mine.left(), its.left())) {
                return name + " is " + mine + " in memory, " + its + " in Redis";
            }
        }
        return "";
    }

    private static String code(Throwable failure) {
        String message = String.valueOf(failure.getMessage()).replace("Redis refused the command: ", "");
        return message.split(" ")[0];
    }

    private static boolean isAlike(List<Object> mine, List<Object> its) {
        if (mine.size() != its.size()) {
            return false;
        }
        for (int i = 0; i < mine.size(); i++) {
            if (!isAlike(mine.get(i), its.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** Times may differ by what passed on the real clock. */
    private static boolean isAlike(Object mine, Object its) {
        if (mine instanceof Long one && its instanceof Long other) {
            return one.equals(other)
                    || (one > 0 && other > 0 && one < 100_000_000_000L && Math.abs(one - other) < REAL_TIME_MILLIS);
        }
        return String.valueOf(mine).equals(String.valueOf(its));
    }
}
