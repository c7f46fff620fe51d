package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.waiting.ReleaseSignals;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The connections of a client to Redis: one for scripts, one for signals as soon as somebody waits, and a third if acquisitions must be replicated,
 * because WAIT blocks all other commands on its connection. Connects in the background. Until the connection is open, commands wait within their own
 * timeouts.
 */
public final class LettuceGateway implements RedisGateway {

    private static final String IS_CLUSTER = "_mode:cluster";

    /** The longest time to learn who the masters of a cluster are. After it, those that are known must do. */
    private static final Duration LONGEST_REFRESH = Duration.ofMillis(400);

    /**
     * How long a closing gateway waits for an attempt to connect before it interrupts the attempt. In an outage, the releases have used up the time
     * of a command already.
     */
    private static final Duration LONGEST_ATTEMPT_AT_END = Duration.ofMillis(250);

    private final RedisTopology nodes;
    private final KeySlots slots;
    private final ConnectionSettings settings;
    private final Background background;
    private final Timer timer;
    private final CommandTimeouts timeouts;
    private final ReconnectingConnection<StatefulConnection<String, String>> link;
    private final Commands commands;
    private final Subscriptions channels;
    private final ReplicatedCommands replicated;
    private final CompletableFuture<Void> firstConnected = new CompletableFuture<>();
    private final CompletableFuture<Void> attempted;

    /** Creates the gateway and begins to connect. */
    public LettuceGateway(
            RedisTopology nodes,
            KeySlots slots,
            ConnectionSettings settings,
            Timer timer,
            Ticker ticker,
            Background background) {
        this.nodes = nodes;
        this.slots = slots;
        this.settings = settings;
        this.background = background;
        this.timer = timer;
        ConnectionOpener opener = new ConnectionOpener(timer, background::connectAttempts, settings);
        this.timeouts = new CommandTimeouts(settings.commandTimeout(), timer, ticker);
        this.channels = new Subscriptions(opener, nodes::openSignals, nodes.isCluster(), slots);
        this.link = opener.open("commands", this::openCommands, nodes.isCluster(), this::connected);
        this.commands = new Commands(link, nodes, slots, timeouts, link::isFirstAttempt);
        this.replicated = new ReplicatedCommands(
                nodes,
                slots,
                opener,
                new CommandTimeouts(settings.commandTimeout(), timer, ticker),
                link::isFirstAttempt);
        nodes.watch(link::interrupted, channels::lost, channels::listenAgain);
        link.replace();
        this.attempted =
                link.connection().handle((connection, failure) -> (Void) null).toCompletableFuture();
    }

    /** Replaces the other connections, because the address may lead to another server now and they may still be open to the one before. */
    private void connected(StatefulConnection<String, String> opened) {
        channels.replace();
        replicated.replace();
        // Last, because who waits for it may open the connection for messages, which then need not be replaced.
        firstConnected.complete(null);
    }

    private StatefulConnection<String, String> openCommands() throws Exception {
        StatefulConnection<String, String> opened = nodes.openCommands();
        if (!slots.areSeparate() && opened instanceof StatefulRedisConnection<String, String> server) {
            try {
                CompletableFuture<String> description =
                        server.async().info("server").toCompletableFuture();
                if (background
                        .get(description, settings.commandTimeout().toNanos())
                        .contains(IS_CLUSTER)) {
                    slots.found();
                }
            } catch (ExecutionException | TimeoutException hidden) {
                // A service may hide that it is a cluster. The first refusal of a script will then show it.
            } catch (InterruptedException e) {
                opened.closeAsync();
                throw e;
            }
        }
        return opened;
    }

    @Override
    public <T> CompletableFuture<T> run(
            Script script, List<String> keys, List<String> args, Function<ScriptResult, T> reader) {
        return commands.run(CommandType.EVALSHA, script, keys, args, reader, null);
    }

    @Override
    public <T> CompletableFuture<T> run(
            Script script,
            List<String> keys,
            List<String> args,
            Function<ScriptResult, T> reader,
            Consumer<? super T> late) {
        PendingCommand<T> call = commands.run(CommandType.EVALSHA, script, keys, args, reader, null);
        call.onLateAnswer(late);
        return call;
    }

    @Override
    public <T> CompletableFuture<T> runReplicated(
            Script script,
            List<String> keys,
            List<String> args,
            int replicas,
            Predicate<List<Object>> isWrite,
            Function<ScriptResult, T> reader) {
        return replicas == 0
                ? commands.run(CommandType.EVALSHA, script, keys, args, reader, null)
                : replicated.run(script, keys, args, replicas, isWrite, reader);
    }

    @Override
    public CompletionStage<Void> firstConnected() {
        return firstConnected;
    }

    @Override
    public ReleaseSignals signals() {
        return channels;
    }

    @Override
    public long interruptions() {
        return link.interruptions();
    }

    @Override
    public CompletableFuture<Void> attempted() {
        return attempted;
    }

    @Override
    public CompletableFuture<List<Object>> command(String name, List<String> keys, String... args) {
        return commands.run(CommandType.valueOf(name), null, keys, List.of(args), ScriptResult::values, null);
    }

    @Override
    public CompletableFuture<List<Master>> masters() {
        return attempted.thenCompose(tried -> {
            StatefulConnection<String, String> open = link.currentOrNull();
            if (open == null) {
                return CompletableFuture.failedFuture(RedisFailure.notConnected(new IllegalStateException("not open")));
            }
            CompletableFuture<Void> refreshed =
                    nodes.refreshed().handle((done, failure) -> (Void) null).toCompletableFuture();
            // A node that does not answer must not hide the others.
            timer.after(LONGEST_REFRESH.toNanos(), () -> refreshed.complete(null));
            return refreshed.thenApply(done -> nodes.masters(open).entrySet().stream()
                    .map(master -> new Master(
                            master.getKey(),
                            nodes.isCluster(),
                            (name, args) -> run(open, master.getValue(), CommandType.valueOf(name), args)))
                    .toList());
        });
    }

    private CompletableFuture<List<Object>> run(
            StatefulConnection<String, String> open,
            CompletionStage<? extends StatefulConnection<String, String>> node,
            CommandType type,
            List<String> args) {
        return node.handle((connected, failure) -> failure == null
                        ? commands.runAt(open, connected, type, args, ScriptResult::values)
                        : CompletableFuture.<List<Object>>failedFuture(RedisFailure.notConnected(failure)))
                .thenCompose(Function.identity())
                .toCompletableFuture();
    }

    @Override
    public void close() {
        firstConnected.completeExceptionally(RedisFailure.notConnected(new IllegalStateException("closed")));
        link.close();
        replicated.close();
        channels.close();
        // Also with the application's own Lettuce client, which may be shut down as soon as this method returns.
        link.awaitAttempts(LONGEST_ATTEMPT_AT_END);
        replicated.awaitAttempts(LONGEST_ATTEMPT_AT_END);
        channels.awaitAttempts(LONGEST_ATTEMPT_AT_END);
        nodes.shutdown();
    }
}
