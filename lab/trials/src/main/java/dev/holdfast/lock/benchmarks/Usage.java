package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.trials.LockLibrary;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The work of a server up to a moment, or between two moments.
 *
 * @param nanos the time of the moment, or the time between the two
 * @param cpuMicros the CPU time of the server
 * @param scripts the number of EVALSHA and EVAL commands
 * @param others the number of other commands that clients sent
 * @param inner the number of commands that scripts called
 * @param bytesIn the bytes received from clients
 * @param bytesOut the bytes sent to clients
 */
record Usage(long nanos, double cpuMicros, long scripts, long others, long inner, long bytesIn, long bytesOut) {

    private static final Set<String> SCRIPTS = Set.of("evalsha", "eval");
    /** Commands that never run inside a script. The server counts commands inside and outside scripts together. */
    private static final Set<String> OTHERS =
            Set.of("subscribe", "unsubscribe", "ssubscribe", "sunsubscribe", "psubscribe", "ping", "wait");
    /** Commands that are not counted, because the benchmark itself sends them, or a new connection does. */
    private static final Pattern NOT_COUNTED =
            Pattern.compile("(info|config|slowlog|client|hello|auth|select|command|script)([|].*)?");

    static Usage of(RedisServer server) {
        Map<String, Long> calls = server.commandStats();
        Map<String, String> cpu = server.info("cpu");
        Map<String, String> net = server.info("stats");
        long scripts = sum(calls, SCRIPTS);
        long all = calls.entrySet().stream()
                .filter(call -> !NOT_COUNTED.matcher(call.getKey()).matches())
                .mapToLong(Map.Entry::getValue)
                .sum();
        long others = sum(calls, OTHERS);
        return new Usage(
                System.nanoTime(),
                1e6 * (number(cpu, "used_cpu_user") + number(cpu, "used_cpu_sys")),
                scripts,
                others,
                all - scripts - others,
                (long) number(net, "total_net_input_bytes"),
                (long) number(net, "total_net_output_bytes"));
    }

    Usage since(Usage earlier) {
        return new Usage(
                nanos - earlier.nanos,
                cpuMicros - earlier.cpuMicros,
                scripts - earlier.scripts,
                others - earlier.others,
                inner - earlier.inner,
                bytesIn - earlier.bytesIn,
                bytesOut - earlier.bytesOut);
    }

    /**
     * Returns the number of commands that clients sent. The server does not distinguish them from commands that scripts called. If there were no
     * scripts, the clients sent all of them.
     */
    long commands() {
        return scripts == 0 ? others + inner : scripts + others;
    }

    /** Returns the number of commands that scripts called. */
    long innerCommands() {
        return scripts == 0 ? 0 : inner;
    }

    double seconds() {
        return nanos / 1e9;
    }

    /** Returns the number of subscriptions to the channels of this lock and, for Holdfast, of its clients. */
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
