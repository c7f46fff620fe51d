package dev.holdfast.lock.test.memory;

import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisFailure.Kind;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.connection.ScriptResult;
import dev.holdfast.lock.internal.waiting.ReleaseSignals;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;

/** One client's way to a {@link MemoryRedis}. */
public final class MemoryGateway implements RedisGateway {

    private final MemoryRedis server;
    private final Traffic traffic;
    private volatile boolean closed;

    /**
     * Connects at once.
     *
     * @param server where to
     * @param traffic what happens to commands on the way
     */
    public MemoryGateway(MemoryRedis server, Traffic traffic) {
        this.server = server;
        this.traffic = traffic;
    }

    @Override
    public <T> CompletableFuture<T> run(
            Script script, List<String> keys, List<String> args, Function<ScriptResult, T> reader) {
        long sentAt = server.ticker().now();
        return send(script.name(), keys, args, () -> server.run(script, keys, args))
                .thenApply(values -> reader.apply(new ScriptResult(values, sentAt)));
    }

    @Override
    public <T> CompletableFuture<T> runReplicated(
            Script script,
            List<String> keys,
            List<String> args,
            int replicas,
            Predicate<List<Object>> isWrite,
            Function<ScriptResult, T> reader) {
        // It has no replicas that could fall behind.
        return run(script, keys, args, reader);
    }

    @Override
    public CompletionStage<Void> firstConnected() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public ReleaseSignals signals() {
        return server.channels()::subscribe;
    }

    @Override
    public long interruptions() {
        return 0;
    }

    @Override
    public boolean isCluster() {
        return false;
    }

    @Override
    public CompletableFuture<String> info(String section) {
        return send("info", none -> "redis_version:7.2.0\r\nredis_mode:standalone\r\nmaxmemory_policy:noeviction\r\n");
    }

    @Override
    public CompletableFuture<Long> serverMillis() {
        return send("time", redis -> {
            List<?> time = (List<?>) redis.command("time");
            return time == null
                    ? 0L
                    : Long.parseLong((String) time.get(0)) * 1000 + Long.parseLong((String) time.get(1)) / 1000;
        });
    }

    @Override
    public CompletableFuture<Optional<String>> get(String key) {
        return send("get", redis -> Optional.ofNullable((String) redis.command("get", key)));
    }

    @Override
    public CompletableFuture<String> set(String key, String value, Duration lifetime) {
        return send("set", redis -> {
            redis.command("set", key, value, "px", Long.toString(lifetime.toMillis()));
            return "OK";
        });
    }

    @Override
    public CompletableFuture<Long> delete(String key) {
        return send("del", redis -> {
            Object deleted = redis.command("del", key);
            return deleted instanceof Long number ? number : 0L;
        });
    }

    private <T> CompletableFuture<T> send(String command, Function<MemoryRedis, T> call) {
        return send(command, List.of(), List.of(), () -> call.apply(server));
    }

    private <T> CompletableFuture<T> send(String name, List<String> keys, List<String> args, Command<T> command) {
        return closed
                ? CompletableFuture.failedFuture(RedisFailure.simulated(Kind.NOT_SENT, "not sent: closed"))
                : traffic.send(name, keys, args, command);
    }

    @Override
    public void close() {
        closed = true;
    }

    /** What happens to a client's commands on the way to the server and back. */
    public interface Traffic {

        /** Each command is executed at once, in the calling thread. */
        Traffic DIRECT = new Traffic() {
            @Override
            public <T> CompletableFuture<T> send(
                    String command, List<String> keys, List<String> args, Command<T> execution) {
                return executed(execution);
            }
        };

        /** Sends a command; the stage fails with a {@link RedisFailure}. */
        <T> CompletableFuture<T> send(String command, List<String> keys, List<String> args, Command<T> execution);

        /** Executes a command now. */
        static <T> CompletableFuture<T> executed(Command<T> execution) {
            try {
                return CompletableFuture.completedFuture(execution.execute());
            } catch (RedisFailure refused) {
                return CompletableFuture.failedFuture(refused);
            }
        }
    }

    /** A command's execution by the server. */
    @FunctionalInterface
    public interface Command<T> {
        T execute();
    }
}
