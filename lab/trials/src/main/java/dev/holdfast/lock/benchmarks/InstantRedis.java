package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.ReleaseSignals;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.connection.ScriptResult;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Plain locks as Redis would keep them for one thread. Each answer is available at once, so that only the client's own cost remains. It has no queue,
 * so callers cannot wait.
 */
final class InstantRedis implements RedisGateway {

    private static final CompletableFuture<Void> ATTEMPTED = CompletableFuture.completedFuture(null);

    private static final long LEASE_MILLIS = 30_000;
    private static final long TOKENS = 1024;

    private static final ReleaseSignals SILENCE = new ReleaseSignals() {
        @Override
        public boolean areInUse() {
            return false;
        }

        @Override
        public boolean isSubscribed(String channel) {
            return false;
        }

        @Override
        public Subscription subscribe(String channel, @Nullable String place, Consumer<String> onMessage) {
            throw new UnsupportedOperationException("Nobody waits");
        }
    };

    private final Map<String, String> holders = new ConcurrentHashMap<>();
    private final AtomicLong drawn = new AtomicLong(1);
    private final Ticker ticker;

    /** Opens a new instance for each start of a client. */
    static final class Opener implements RedisGateway.Opener {

        @Override
        public RedisGateway open(ConnectionSettings settings, Timer timer, Ticker ticker) {
            return new InstantRedis(ticker);
        }
    }

    private InstantRedis(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Runs a script. No answer is late. */
    @Override
    public <T> CompletableFuture<T> run(
            Script script,
            List<String> keys,
            List<String> args,
            Function<ScriptResult, T> reader,
            Consumer<? super T> late) {
        ScriptResult result = new ScriptResult(answer(script.name(), keys, args), ticker.now());
        return CompletableFuture.completedFuture(reader.apply(result));
    }

    private List<Object> answer(String script, List<String> keys, List<String> args) {
        String owner = args.get(0);
        return switch (script) {
            case "acquire" -> {
                String holder = holders.putIfAbsent(keys.get(0), owner);
                yield holder == null
                        ? List.of(drawn.incrementAndGet() * TOKENS)
                        : List.of(0L, LEASE_MILLIS, holder, drawn.get(), 1L);
            }
            case "release" -> List.of(holders.remove(keys.get(0), owner) ? 0L : -2L);
            case "renew" -> Collections.nCopies(keys.size(), 1L);
            default -> throw new IllegalArgumentException("No answer to " + script);
        };
    }

    @Override
    public <T> CompletableFuture<T> runReplicated(
            Script script,
            List<String> keys,
            List<String> args,
            int replicas,
            Predicate<List<Object>> isWrite,
            Function<ScriptResult, T> reader) {
        return run(script, keys, args, reader);
    }

    @Override
    public CompletionStage<Void> firstConnected() {
        return CompletableFuture.completedFuture(null);
    }

    /** Returns signals that never arrive, because there is no other client. */
    @Override
    public ReleaseSignals signals() {
        return SILENCE;
    }

    @Override
    public long interruptions() {
        return 0;
    }

    @Override
    public CompletableFuture<Void> attempted() {
        return ATTEMPTED;
    }

    /** Answers at once. The only such command writes the client's name. */
    @Override
    public CompletableFuture<List<Object>> command(String name, List<String> keys, String... args) {
        return CompletableFuture.completedFuture(List.of("OK"));
    }

    @Override
    public void close() {
        // There is nothing to close.
    }
}
