package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.RedisFailure.Kind;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a client to Redis: to each server one for scripts, one for signals as soon as somebody waits, and a third if acquisitions must be
 * replicated, because WAIT blocks all other commands on its connection. Connects in the background. Until a connection is open, its commands wait
 * within their own timeouts.
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
    private final ExecutorService attempts;
    /** How many connections for commands have ended. */
    private final AtomicLong interruptions = new AtomicLong();

    private final Commands commands;
    /** Runs scripts whose writes must be replicated. Nothing else uses its connections, because WAIT blocks all other commands there. */
    final Commands replicated;

    private final Subscriptions channels;
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
        this.attempts = background.connectAttempts("holdfast-connect");
        ConnectionOpener opener = new ConnectionOpener(nodes, timer, attempts, settings);
        CommandTimeouts timeouts = new CommandTimeouts(settings.commandTimeout(), timer, ticker);
        ServerLinks<StatefulRedisConnection<String, String>> links =
                new ServerLinks<>("commands", opener, node -> () -> openCommands(node), interruptions, this::connected);
        this.commands = new Commands(links, nodes.isCluster(), slots, timeouts, links.any);
        this.replicated = new Commands(
                new ServerLinks<>(
                        "replicated",
                        opener,
                        node -> () -> nodes.openCommands(node),
                        new AtomicLong(),
                        (node, opened) -> {}),
                nodes.isCluster(),
                slots,
                timeouts,
                links.any);
        this.channels = new Subscriptions(opener, slots);
        this.attempted = links.any
                .connection()
                .handle((connection, failure) -> (Void) null)
                .toCompletableFuture();
    }

    /** Replaces the server's other connections, because its address may lead to another server now and they may still be open to the one before. */
    private void connected(@Nullable RedisURI node, StatefulRedisConnection<String, String> opened) {
        channels.links.replace(node);
        replicated.links.replace(node);
        // Last, because who waits for it may open the connection for messages, which then need not be replaced.
        firstConnected.complete(null);
    }

    private StatefulRedisConnection<String, String> openCommands(@Nullable RedisURI node) throws Exception {
        StatefulRedisConnection<String, String> opened = nodes.openCommands(node);
        if (!slots.areSeparate()) {
            try {
                CompletableFuture<String> description =
                        opened.async().info("server").toCompletableFuture();
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
                : replicated.run(
                        CommandType.EVALSHA,
                        script,
                        keys,
                        args,
                        reader,
                        (connection, answer) -> isWrite.test(answer) ? confirmed(connection, replicas) : null);
    }

    /** Waits for the replicas on the connection that ran the script, because WAIT refers to the writes of its own connection. */
    private CompletionStage<?> confirmed(StatefulRedisConnection<String, String> connection, int replicas) {
        // One command timeout applies to the script and to this step together.
        Duration limit = settings.commandTimeout().dividedBy(2);
        return connection.async().waitForReplication(replicas, limit.toMillis()).thenCompose(confirmations -> {
            if (confirmations >= replicas) {
                return CompletableFuture.completedFuture(confirmations);
            }
            String message =
                    "only " + confirmations + " of " + replicas + " replicas confirmed within " + LogText.time(limit);
            return CompletableFuture.failedFuture(
                    new RedisFailure(Kind.NO_ANSWER, message, new IllegalStateException(message)));
        });
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
        return interruptions.get();
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
            if (nodes.isCluster() ? nodes.masters().isEmpty() : commands.links.any.currentOrNull() == null) {
                return CompletableFuture.failedFuture(RedisFailure.notConnected(new IllegalStateException("not open")));
            }
            CompletableFuture<Void> refreshed =
                    nodes.refreshed().handle((done, failure) -> (Void) null).toCompletableFuture();
            // A node that does not answer must not hide the others.
            timer.after(LONGEST_REFRESH.toNanos(), () -> refreshed.complete(null));
            return refreshed.thenApply(done -> nodes.isCluster()
                    ? nodes.masters().stream()
                            .map(node -> master(RedisTopology.name(node), commands.links.at(node)))
                            .toList()
                    : List.of(master("the server", commands.links.any)));
        });
    }

    private Master master(String name, ReconnectingConnection<StatefulRedisConnection<String, String>> link) {
        return new Master(
                name, nodes.isCluster(), (command, args) -> commands.runAt(link, CommandType.valueOf(command), args));
    }

    @Override
    public void close() {
        firstConnected.completeExceptionally(RedisFailure.notConnected(new IllegalStateException("closed")));
        commands.links.close();
        replicated.links.close();
        channels.close();
        // Also with the application's own Lettuce client, which may be shut down as soon as this method returns.
        attempts.shutdown();
        awaitAttempts();
        nodes.shutdown();
    }

    /** Waits for running attempts. Interrupts those that take longer, and waits until they have ended for that, for as long again at most. */
    private void awaitAttempts() {
        try {
            if (!haveEnded()) {
                attempts.shutdownNow();
                haveEnded();
            }
        } catch (InterruptedException e) {
            // Continues to close. The attempts end by their own time limits.
            Thread.currentThread().interrupt();
        }
    }

    private boolean haveEnded() throws InterruptedException {
        return attempts.awaitTermination(LONGEST_ATTEMPT_AT_END.toNanos(), TimeUnit.NANOSECONDS);
    }
}
