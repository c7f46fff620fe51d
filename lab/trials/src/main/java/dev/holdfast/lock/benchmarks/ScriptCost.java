package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures what an uncontended lock and unlock cost Redis: the CPU of its main thread for a pair of scripts. The requests are pipelined, so that
 * neither the network nor the client counts. A round runs each pair in turn. The ratio to {@code raw} is the figure to believe.
 */
final class ScriptCost implements Benchmark {

    private static final String RAW = "raw, two bare scripts";
    private static final String CPU = "Redis CPU, µs";
    private static final String OWNER = "Ty_hYGjXW5BB2x61JglSZg:1:1";
    /** Asks for one of two permits. */
    private static final String OF_TWO = OWNER + ":3000:2";

    private static final int ROUNDS = Integer.getInteger("rounds", 9);
    private static final int CYCLES = 40_000;
    private static final int BATCH = 200;
    private static final int NAMES = 4_000;

    @Override
    public String what() {
        return "CPU of Redis' main thread for a lock and unlock, pipelined";
    }

    @Override
    public void run(Bench bench, Table table) {
        Map<String, List<Call>> pairs = new LinkedHashMap<>();
        pairs.put(RAW, List.of(raw(RawContender.ACQUIRE, OWNER, "30000"), raw(RawContender.RELEASE, OWNER)));
        pairs.put("Holdfast, plain", List.of(own("acquire", OWNER, "0", "30000"), own("release", OWNER, "0")));
        pairs.put(
                "Holdfast, fair",
                List.of(own("acquire", OWNER, "0", "30000", "5000", "fair"), own("release", OWNER, "0", "0", "fair")));
        pairs.put(
                "Holdfast, read",
                List.of(own("read-acquire", OWNER, "0", "30000", "5000", "", "1"), own("rw-release", OWNER, "0")));
        String writer = OWNER + ":write";
        pairs.put(
                "Holdfast, write",
                List.of(own("write-acquire", writer, "0", "30000", "5000"), own("rw-release", writer, "0")));
        pairs.put(
                "Holdfast, permit",
                List.of(
                        own("semaphore-acquire", OF_TWO, "0", "30000", "5000", "semaphore"),
                        own("semaphore-release", OF_TWO, "0", "0", "semaphore")));
        RedisClient client =
                RedisClient.create(RedisURI.create("127.0.0.1", bench.server().port()));
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            connection.setAutoFlushCommands(false);
            // The first round warms up and is not counted.
            for (int round = 0; round <= ROUNDS; round++) {
                double raw = 0;
                for (Map.Entry<String, List<Call>> pair : pairs.entrySet()) {
                    double micros = micros(bench, connection, pair.getValue());
                    raw = pair.getKey().equals(RAW) ? micros : raw;
                    if (round > 0) {
                        table.row(pair.getKey()).add(CPU, micros).add("x raw", micros / raw);
                    }
                }
            }
        } finally {
            client.shutdown();
        }
    }

    private static double micros(Bench bench, StatefulRedisConnection<String, String> connection, List<Call> pair) {
        bench.server().cli().flushall();
        pair.forEach(call -> bench.server().cli().scriptLoad(call.script.text()));
        RedisAsyncCommands<String, String> redis = connection.async();
        double before = cpuMicros(bench);
        for (int done = 0; done < CYCLES; done += BATCH) {
            List<RedisFuture<Long>> answers = new ArrayList<>();
            for (int i = 0; i < BATCH; i++) {
                String[] keys = {"order:" + (done + i) % NAMES};
                for (Call call : pair) {
                    answers.add(redis.evalsha(
                            call.script.sha(), ScriptOutputType.INTEGER, keys, call.args.toArray(String[]::new)));
                }
            }
            connection.flushCommands();
            answers.forEach(answer -> answer.toCompletableFuture().join());
        }
        return (cpuMicros(bench) - before) / CYCLES;
    }

    private static double cpuMicros(Bench bench) {
        Map<String, String> cpu = bench.server().info("cpu");
        return 1e6
                * (Double.parseDouble(cpu.get("used_cpu_user_main_thread"))
                        + Double.parseDouble(cpu.get("used_cpu_sys_main_thread")));
    }

    private static Call own(String script, String... args) {
        return new Call(Script.load(LockProtocol.class, script), List.of(args));
    }

    private static Call raw(String text, String... args) {
        return new Call(Script.of(RAW, text), List.of(args));
    }

    private record Call(Script script, List<String> args) {}
}
