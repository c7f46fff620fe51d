package dev.holdfast.lock.connection;

import dev.holdfast.lock.lease.Ticker;
import dev.holdfast.lock.lease.Timer;
import dev.holdfast.lock.waiting.ReleaseSignals;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * A client's way to Redis: one connection for scripts, one for signals, and where acquisitions must be replicated a third, since WAIT holds
 * up whatever shares its connection. Connects in the background; until it stands, commands wait for it within their own time limit.
 */
public final class RedisGateway implements AutoCloseable {

    private final Nodes nodes;
    private final LinkFactory links;
    private final Patience patience;
    private final Link<StatefulConnection<String, String>> link;
    private final Commands<StatefulConnection<String, String>> commands;
    private final Channels channels;
    private final ReplicatedCommands replicated;
    private final CompletableFuture<Void> firstConnected = new CompletableFuture<>();

    /**
     * Begins to connect.
     *
     * @param source where Redis is
     * @param settings time limits
     * @param timer for time limits and reconnects
     * @param ticker the clock
     */
    public RedisGateway(RedisSource source, ConnectionSettings settings, Timer timer, Ticker ticker) {
        this.nodes = source.open(settings);
        this.links = new LinkFactory(timer, settings);
        this.patience = new Patience(settings.commandTimeout(), timer, ticker);
        this.channels = new Channels(links, nodes::openSignals, nodes.isCluster());
        this.link = links.open(
                "commands", nodes::openCommands, nodes.isCluster(), connection -> firstConnected.complete(null));
        this.commands = new Commands<>(link, nodes::async, patience);
        this.replicated = new ReplicatedCommands(nodes, links, settings, timer, ticker);
        // The connection for signals goes to the same server, and nothing on it would tell that the server fell silent.
        link.whenReplaced(channels::replace);
        link.start();
        channels.start(nodes.isCluster());
    }

    /** Runs a script on the master of its keys. Fails with a {@link RedisFailure}. */
    public CompletableFuture<List<Object>> run(Script script, List<String> keys, List<String> args) {
        return commands.run(script, keys, args);
    }

    /**
     * Runs a script whose writes are worth nothing before that many replicas have them.
     *
     * @param replicas how many; with 0 it is a script like any other
     * @param isWrite whether an answer says that something was written
     * @return the answer; fails with {@link RedisFailure.Kind#NO_ANSWER} where too few replicas confirmed
     */
    public CompletableFuture<List<Object>> runReplicated(
            Script script,
            List<String> keys,
            List<String> args,
            int replicas,
            Function<List<Object>, Boolean> isWrite) {
        return replicas == 0 ? run(script, keys, args) : replicated.run(script, keys, args, replicas, isWrite);
    }

    /** Completes when Redis was reached for the first time. */
    public CompletionStage<Void> firstConnected() {
        return firstConnected;
    }

    /** Messages of other clients. */
    public ReleaseSignals signals() {
        return channels;
    }

    /** Grows whenever a connection has ended: commands sent before and after may then be executed in any order. */
    public long interruptions() {
        return link.interruptions();
    }

    /** Whether keys of one script must share a slot. */
    public boolean isCluster() {
        return nodes.isCluster();
    }

    /** The slot that a key falls into. */
    public static int slotOf(String key) {
        return SlotHash.getSlot(key);
    }

    /** What the server says of itself. */
    public CompletableFuture<String> info(String section) {
        return send(redis -> redis.info(section));
    }

    /** The server's clock, in milliseconds of its epoch. */
    public CompletableFuture<Long> serverMillis() {
        return send(RedisClusterAsyncCommands::time)
                .thenApply(time -> Long.parseLong(time.get(0)) * 1000 + Long.parseLong(time.get(1)) / 1000);
    }

    /** Reads a plain key; empty if there is none. */
    public CompletableFuture<Optional<String>> get(String key) {
        return send(redis -> redis.get(key)).thenApply(Optional::ofNullable);
    }

    /** Writes a plain key that lives for that long. */
    public CompletableFuture<String> set(String key, String value, Duration lifetime) {
        return send(redis -> redis.set(key, value, SetArgs.Builder.px(lifetime)));
    }

    /** Deletes a plain key. */
    public CompletableFuture<Long> delete(String key) {
        return send(redis -> redis.del(key));
    }

    private <T> CompletableFuture<T> send(
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        return commands.send(command, command);
    }

    @Override
    public void close() {
        link.close();
        replicated.close();
        channels.close();
        if (nodes.owned()) {
            link.awaitConnectors(patience.limit());
            channels.awaitConnectors(patience.limit());
        }
        nodes.shutdown();
    }
}
