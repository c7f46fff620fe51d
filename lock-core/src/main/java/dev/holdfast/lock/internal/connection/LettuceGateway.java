package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.background.Threads;
import dev.holdfast.lock.internal.lease.Ticker;
import dev.holdfast.lock.internal.lease.Timer;
import dev.holdfast.lock.internal.waiting.ReleaseSignals;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A client's connections to Redis: one for scripts, one for signals, and a third if acquisitions must be replicated, since WAIT blocks everything
 * else on its connection. Connects in the background; until then commands wait within their own time limit.
 */
public final class LettuceGateway implements RedisGateway {

    private final Nodes nodes;
    private final CommandTimeouts timeouts;
    private final ReconnectingConnection<StatefulConnection<String, String>> link;
    private final Commands commands;
    private final Subscriptions channels;
    private final ReplicatedCommands replicated;
    private final CompletableFuture<Void> firstConnected = new CompletableFuture<>();

    /** Begins to connect. */
    public LettuceGateway(Nodes nodes, ConnectionSettings settings, Timer timer, Ticker ticker) {
        this.nodes = nodes;
        ConnectionOpener opener = new ConnectionOpener(timer, Threads.plain(), settings);
        this.timeouts = new CommandTimeouts(settings.commandTimeout(), timer, ticker);
        this.channels = new Subscriptions(opener, nodes::openSignals, nodes.isCluster());
        this.link = opener.open(
                "commands", nodes::openCommands, nodes.isCluster(), connection -> firstConnected.complete(null));
        this.commands = new Commands(link, nodes, timeouts);
        this.replicated =
                new ReplicatedCommands(nodes, opener, new CommandTimeouts(settings.commandTimeout(), timer, ticker));
        nodes.watch(link::interrupted, channels::listenAgain);
        // The signal connection goes to the same server, and would not notice that the server fell silent.
        link.whenReplaced(channels.link::replace);
        link.start();
        channels.start(nodes.isCluster());
    }

    @Override
    public <T> CompletableFuture<T> run(
            Script script, List<String> keys, List<String> args, Function<ScriptResult, T> reader) {
        return commands.run(script, keys, args, reader, null);
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
                ? commands.run(script, keys, args, reader, null)
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
    public boolean isCluster() {
        return nodes.isCluster();
    }

    @Override
    public CompletableFuture<List<Object>> command(String name, List<String> keys, String... args) {
        return commands.run(CommandType.valueOf(name), keys, List.of(args), ScriptResult::values);
    }

    @Override
    public void close() {
        firstConnected.completeExceptionally(RedisFailure.notConnected(new IllegalStateException("closed")));
        link.close();
        replicated.close();
        channels.close();
        if (nodes.owned()) {
            link.awaitConnectors(timeouts.limit());
            channels.link.awaitConnectors(timeouts.limit());
        }
        nodes.shutdown();
    }
}
