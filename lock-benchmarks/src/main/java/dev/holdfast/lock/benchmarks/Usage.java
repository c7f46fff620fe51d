package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.testing.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a server has done up to a moment, or between two.
 *
 * @param nanos when
 * @param cpuMicros CPU time of the server
 * @param scripts EVALSHA and EVAL
 * @param others other commands that clients sent
 * @param bytesOut what it sent to clients
 */
record Usage(long nanos, double cpuMicros, long scripts, long others, long bytesOut) {

    private static final Set<String> SCRIPTS = Set.of("evalsha", "eval");
    /** Those that never run inside a script: the server counts both alike. */
    private static final Set<String> OTHERS =
            Set.of("subscribe", "unsubscribe", "ssubscribe", "sunsubscribe", "psubscribe", "ping", "wait");

    static Usage of(RedisServer server) {
        Map<String, Long> calls = server.commandStats();
        Map<String, String> cpu = server.info("cpu");
        return new Usage(
                System.nanoTime(),
                1e6 * (number(cpu, "used_cpu_user") + number(cpu, "used_cpu_sys")),
                sum(calls, SCRIPTS),
                sum(calls, OTHERS),
                (long) number(server.info("stats"), "total_net_output_bytes"));
    }

    Usage since(Usage earlier) {
        return new Usage(
                nanos - earlier.nanos,
                cpuMicros - earlier.cpuMicros,
                scripts - earlier.scripts,
                others - earlier.others,
                bytesOut - earlier.bytesOut);
    }

    double seconds() {
        return nanos / 1e9;
    }

    /** To the channels of this lock, or of Holdfast's clients themselves. */
    static long subscriptions(RedisServer server, LockLibrary library, String lock) {
        List<String> channels = new ArrayList<>(server.cli().pubsubChannels());
        channels.addAll(server.cli().pubsubShardChannels());
        channels.removeIf(channel -> !channel.contains(lock) && !library.hasOwn(channel));
        String[] names = channels.toArray(String[]::new);
        return names.length == 0
                ? 0
                : sum(server.cli().pubsubNumsub(names)) + sum(server.cli().pubsubShardNumsub(names));
    }

    private static long sum(Map<String, Long> numbers) {
        return numbers.values().stream().mapToLong(Long::longValue).sum();
    }

    static long memoryBytes(RedisServer server) {
        return (long) number(server.info("memory"), "used_memory");
    }

    private static double number(Map<String, String> fields, String field) {
        return Double.parseDouble(fields.getOrDefault(field, "0"));
    }

    private static long sum(Map<String, Long> calls, Set<String> commands) {
        return calls.entrySet().stream()
                .filter(call -> commands.contains(call.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }
}
