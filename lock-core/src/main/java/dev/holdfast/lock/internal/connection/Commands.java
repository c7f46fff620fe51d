package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.connection.RedisFailure.Kind;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands over a connection: scripts by their digest, or as text if the server does not know them. In a cluster each goes to the node of its
 * key and follows redirections. Everything is sent while the caller waits and never later: a caller that takes back an unanswered command must be
 * sure that nothing of it follows.
 */
final class Commands {

    /** As many as Lettuce follows. */
    private static final int MOST_REDIRECTIONS = 5;

    private final ReconnectingConnection<StatefulConnection<String, String>> link;
    private final RedisTopology nodes;
    private final KeySlots slots;
    private final CommandTimeouts timeouts;

    Commands(
            ReconnectingConnection<StatefulConnection<String, String>> link,
            RedisTopology nodes,
            KeySlots slots,
            CommandTimeouts timeouts) {
        this.link = link;
        this.nodes = nodes;
        this.slots = slots;
        this.timeouts = timeouts;
    }

    /** Runs a script. */
    <T> PendingCommand<T> run(
            Script script,
            List<String> keys,
            List<String> args,
            Function<ScriptResult, T> reader,
            PendingCommand.@Nullable Confirmation confirmation) {
        return send(new PendingCommand<>(this, CommandType.EVALSHA, script, keys, args, reader, confirmation));
    }

    /** Sends a command that is no script, about one key or none. */
    <T> PendingCommand<T> run(
            CommandType type, List<String> keys, List<String> args, Function<ScriptResult, T> reader) {
        return send(new PendingCommand<>(this, type, null, keys, args, reader, null));
    }

    long now() {
        return timeouts.ticker().now();
    }

    private <T> PendingCommand<T> send(PendingCommand<T> call) {
        StatefulConnection<String, String> open = link.currentOrNull();
        RedisClusterAsyncCommands<String, String> only = open == null ? null : nodes.singleNodeCommands(open);
        if (open == null || only == null) {
            sendOnceConnected(call);
        } else {
            timeouts.limit(call);
            dispatch(call, false, open, only, 0);
        }
        return call;
    }

    private void sendOnceConnected(PendingCommand<?> call) {
        boolean first = link.isFirstAttempt();
        CompletionStage<StatefulConnection<String, String>> coming = link.connection();
        if (first) {
            // Bounded by the attempt's own limit. A machine that is busy starting is not an outage.
            coming.whenComplete((connection, failure) -> timeouts.limit(call));
        } else {
            timeouts.limit(call);
        }
        coming.whenComplete((connection, failure) -> {
            if (failure == null) {
                route(call, false, connection, null, 0);
            } else {
                call.fail(RedisFailure.classify(failure));
            }
        });
    }

    private void route(
            PendingCommand<?> call,
            boolean asText,
            StatefulConnection<String, String> connection,
            @Nullable Throwable redirection,
            int redirections) {
        nodes.route(connection, call.key(), redirection).whenComplete((redis, failure) -> {
            if (failure == null) {
                dispatch(call, asText, connection, redis, redirections);
            } else {
                // Nothing was sent, or the node that was asked before has executed nothing.
                call.fail(RedisFailure.notConnected(failure));
            }
        });
    }

    private void dispatch(
            PendingCommand<?> call,
            boolean asText,
            StatefulConnection<String, String> connection,
            RedisClusterAsyncCommands<String, String> redis,
            int redirections) {
        CompletionStage<List<Object>> sent = call.send(redis, asText);
        if (sent == null) {
            return;
        }
        if (redirections == 0) {
            call.sentOver(connection);
        }
        sent.whenComplete((value, failure) -> {
            if (failure == null) {
                confirm(call, redis, value);
            } else if (RedisFailure.isNoScript(failure) && !asText) {
                dispatch(call, true, connection, redis, redirections);
            } else if (RedisFailure.isRedirection(failure) && redirections < MOST_REDIRECTIONS) {
                route(call, asText, connection, failure, redirections + 1);
            } else {
                RedisFailure refusal = RedisFailure.classify(failure);
                call.fail(refusal.isForKeys() && slots.foundBy(refusal) ? refusal.forNow() : refusal);
            }
        });
    }

    private static void confirm(
            PendingCommand<?> call, RedisClusterAsyncCommands<String, String> redis, List<Object> value) {
        CompletionStage<?> confirmation;
        try {
            confirmation = call.confirmation(redis, value);
        } catch (RuntimeException refused) {
            confirmation = CompletableFuture.failedFuture(refused);
        }
        if (confirmation == null) {
            call.answered(value);
            return;
        }
        call.written();
        confirmation.whenComplete((confirmed, failure) -> {
            if (failure == null) {
                call.answered(value);
            } else {
                // The script has written, whatever failed here.
                call.fail(RedisFailure.classify(failure).afterWrite());
            }
        });
    }

    /** A call has failed that was sent over that connection. */
    void failed(StatefulConnection<?, ?> connection, RedisFailure failure, boolean written) {
        if (RedisFailure.isWrongNode(failure) || (failure.kind() == Kind.NO_ANSWER && !written)) {
            link.suspect(connection);
        }
    }
}
