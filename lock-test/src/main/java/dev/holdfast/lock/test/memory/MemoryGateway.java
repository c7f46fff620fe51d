package dev.holdfast.lock.test.memory;

import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisFailure.Kind;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.ReleaseSignals;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.connection.ScriptResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/** A client's gateway to a {@link MemoryRedis}. */
public final class MemoryGateway implements RedisGateway {

    private static final String INFO =
            "redis_version:7.2.0\r\nredis_mode:standalone\r\nmaxmemory_policy:noeviction\r\n";

    private final MemoryRedis server;
    private final Traffic traffic;
    private final Ticker ticker;
    private final ReleaseSignals signals;
    private volatile boolean closed;

    /**
     * Creates a gateway that is connected at once.
     *
     * @param server the server to connect to
     * @param traffic handles the commands on their way
     * @param ticker the client's clock, by which leases begin
     */
    public MemoryGateway(MemoryRedis server, Traffic traffic, Ticker ticker) {
        this.server = server;
        this.traffic = traffic;
        this.ticker = ticker;
        this.signals = traffic.signals(server.channels());
    }

    /** Runs a script. An answer that the traffic has not delivered in time is lost. */
    @Override
    public <T> CompletableFuture<T> run(
            Script script,
            List<String> keys,
            List<String> args,
            Function<ScriptResult, T> reader,
            Consumer<? super T> late) {
        long sentAt = ticker.now();
        return send(script.name(), keys, args, () -> new ScriptResult(server.run(script, keys, args), sentAt))
                .thenApply(reader);
    }

    @Override
    public <T> CompletableFuture<T> runReplicated(
            Script script,
            List<String> keys,
            List<String> args,
            int replicas,
            Predicate<List<Object>> isWrite,
            Function<ScriptResult, T> reader) {
        // The server has no replicas that could fall behind.
        return run(script, keys, args, reader);
    }

    @Override
    public CompletionStage<Void> firstConnected() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public ReleaseSignals signals() {
        return signals;
    }

    @Override
    public long interruptions() {
        return traffic.interruptions();
    }

    @Override
    public CompletableFuture<Void> attempted() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<List<Object>> command(String name, List<String> keys, String... args) {
        String command = name.toLowerCase(Locale.ROOT);
        List<String> all = new ArrayList<>(keys);
        all.addAll(List.of(args));
        return send(command, List.of(), List.of(), () -> name.equals("INFO") ? List.of(INFO) : answer(command, all));
    }

    private List<Object> answer(String command, List<String> args) {
        return flat(MemoryRedis.asList(server.command(command, args.toArray(String[]::new))));
    }

    /** Adds the elements of a list in a list to the outer list, as the client does with the answer of a real Redis. */
    private static List<Object> flat(List<Object> list) {
        if (list.stream().noneMatch(List.class::isInstance)) {
            return list;
        }
        List<Object> flat = new ArrayList<>();
        list.forEach(element -> flat.addAll(element instanceof List<?> inner ? inner : List.of(element)));
        return flat;
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

    /** Controls what happens to a client's commands on the way to the server and back. */
    public interface Traffic {

        /** Executes each command at once, in the calling thread. */
        Traffic DIRECT = new Traffic() {
            @Override
            public <T> CompletableFuture<T> send(
                    String command, List<String> keys, List<String> args, Command<T> execution) {
                return executed(execution);
            }
        };

        /** Sends a command. The stage may fail with a {@link RedisFailure}. */
        <T> CompletableFuture<T> send(String command, List<String> keys, List<String> args, Command<T> execution);

        /** Returns the server's messages as they reach the client. */
        default ReleaseSignals signals(ReleaseSignals server) {
            return server;
        }

        /** Returns a number that increases when the connection ends. */
        default long interruptions() {
            return 0;
        }

        /** Executes a command now. */
        static <T> CompletableFuture<T> executed(Command<T> execution) {
            try {
                return CompletableFuture.completedFuture(execution.execute());
            } catch (RedisFailure refused) {
                return CompletableFuture.failedFuture(refused);
            }
        }
    }

    /** The execution of a command by the server. */
    @FunctionalInterface
    public interface Command<T> {
        T execute();
    }
}
