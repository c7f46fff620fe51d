package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.connection.RedisFailure.Kind;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts that count only when enough replicas have confirmed them. WAIT refers to the writes of its own connection, so it runs on the
 * connection that ran the script. WAIT also blocks all other commands there, so this connection serves no other purpose. It is opened when it is
 * first needed. That call has the usual timeout, because the client has connected before.
 */
final class ReplicatedCommands {

    private final RedisTopology nodes;
    private final KeySlots slots;
    private final ConnectionOpener opener;
    private final CommandTimeouts timeouts;
    private final BooleanSupplier isStarting;
    private @Nullable ReconnectingConnection<StatefulConnection<String, String>> link;

    ReplicatedCommands(
            RedisTopology nodes,
            KeySlots slots,
            ConnectionOpener opener,
            CommandTimeouts timeouts,
            BooleanSupplier isStarting) {
        this.nodes = nodes;
        this.slots = slots;
        this.opener = opener;
        this.timeouts = timeouts;
        this.isStarting = isStarting;
    }

    synchronized ReconnectingConnection<StatefulConnection<String, String>> link() {
        ReconnectingConnection<StatefulConnection<String, String>> opened = link;
        if (opened == null) {
            opened = opener.open("replicated", nodes::openCommands, nodes.isCluster(), connection -> {});
            link = opened;
            opened.replace();
        }
        return opened;
    }

    /** Runs a script and waits for the confirmations. One command timeout applies to both steps together. */
    <T> PendingCommand<T> run(
            Script script,
            List<String> keys,
            List<String> args,
            int replicas,
            Predicate<List<Object>> isWrite,
            Function<ScriptResult, T> reader) {
        return new Commands(link(), nodes, slots, timeouts, isStarting)
                .run(
                        CommandType.EVALSHA,
                        script,
                        keys,
                        args,
                        reader,
                        (node, answer) -> isWrite.test(answer) ? confirmed(node, replicas) : null);
    }

    private CompletionStage<?> confirmed(StatefulConnection<String, String> node, int replicas) {
        Duration limit = timeouts.limit().dividedBy(2);
        var redis = ((StatefulRedisConnection<String, String>) node).async();
        return redis.waitForReplication(replicas, limit.toMillis()).thenCompose(confirmations -> {
            if (confirmations >= replicas) {
                return CompletableFuture.completedFuture(confirmations);
            }
            String message =
                    "only " + confirmations + " of " + replicas + " replicas confirmed within " + LogText.time(limit);
            return CompletableFuture.failedFuture(
                    new RedisFailure(Kind.NO_ANSWER, message, new IllegalStateException(message)));
        });
    }

    synchronized void replace() {
        if (link != null) {
            link.replace();
        }
    }

    /** Waits for running attempts to connect, and interrupts those that take longer. */
    synchronized void awaitAttempts(Duration limit) {
        if (link != null) {
            link.awaitAttempts(limit);
        }
    }

    synchronized void close() {
        if (link != null) {
            link.close();
        }
    }
}
