package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.connection.RedisFailure.Kind;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands over a connection. Scripts are sent by their digest, or as text if the server does not know the digest. In a cluster, each command
 * goes to the node of its key and follows redirections. A command is only sent while its caller waits and never later, because a caller that takes
 * back an unanswered command must be sure that nothing of the command follows.
 */
final class Commands {

    /** The largest number of redirections for one command. Lettuce has the same limit. */
    private static final int MOST_REDIRECTIONS = 5;

    private final ReconnectingConnection<StatefulConnection<String, String>> link;
    private final RedisTopology nodes;
    private final KeySlots slots;
    private final CommandTimeouts timeouts;
    private final BooleanSupplier isStarting;

    /**
     * Creates the commands of one connection.
     *
     * @param isStarting whether the client's very first attempt to connect is still running, which has its own time limit
     */
    Commands(
            ReconnectingConnection<StatefulConnection<String, String>> link,
            RedisTopology nodes,
            KeySlots slots,
            CommandTimeouts timeouts,
            BooleanSupplier isStarting) {
        this.link = link;
        this.nodes = nodes;
        this.slots = slots;
        this.timeouts = timeouts;
        this.isStarting = isStarting;
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

    /** Sends a command other than a script, with one key or none. */
    <T> PendingCommand<T> run(
            CommandType type, List<String> keys, List<String> args, Function<ScriptResult, T> reader) {
        return send(new PendingCommand<>(this, type, null, keys, args, reader, null));
    }

    /** Sends a command without a key to the given node of the given connection. */
    <T> PendingCommand<T> runAt(
            StatefulConnection<String, String> connection,
            StatefulConnection<String, String> node,
            CommandType type,
            List<String> args,
            Function<ScriptResult, T> reader) {
        PendingCommand<T> call = new PendingCommand<>(this, type, null, List.of(), args, reader, null);
        timeouts.limit(call);
        dispatch(call, false, connection, node, 0);
        return call;
    }

    long now() {
        return timeouts.ticker().now();
    }

    private <T> PendingCommand<T> send(PendingCommand<T> call) {
        StatefulConnection<String, String> open = link.currentOrNull();
        if (open == null || nodes.isCluster()) {
            sendOnceConnected(call);
        } else {
            timeouts.limit(call);
            dispatch(call, false, open, open, 0);
        }
        return call;
    }

    private void sendOnceConnected(PendingCommand<?> call) {
        boolean first = isStarting.getAsBoolean();
        CompletionStage<StatefulConnection<String, String>> coming = link.connection();
        if (first) {
            // The timeout begins after the attempt. A machine that is busy at startup is not an outage.
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
        nodes.route(connection, call.key(), redirection).whenComplete((node, failure) -> {
            if (failure == null) {
                dispatch(call, asText, connection, node, redirections);
            } else {
                // The command was not executed: it was not sent, or the node that redirected it did not execute it.
                call.fail(RedisFailure.notConnected(failure));
            }
        });
    }

    private void dispatch(
            PendingCommand<?> call,
            boolean asText,
            StatefulConnection<String, String> connection,
            StatefulConnection<String, String> node,
            int redirections) {
        PendingCommand.Sent command = new PendingCommand.Sent(this, call, node, asText, redirections);
        call.send(command, connection);
        command.sent();
    }

    /** Called when a command that was sent has ended. */
    void ended(PendingCommand.Sent command, @Nullable Throwable failure) {
        PendingCommand<?> call = command.call;
        if (failure == null) {
            confirm(call, command.node, command.getOutput().get());
        } else if (RedisFailure.isNoScript(failure) && !command.asText) {
            dispatch(call, true, call.connection(), command.node, command.redirections);
        } else if (RedisFailure.isRedirection(failure) && command.redirections < MOST_REDIRECTIONS) {
            route(call, command.asText, call.connection(), failure, command.redirections + 1);
        } else {
            RedisFailure refusal = RedisFailure.classify(failure);
            call.fail(
                    refusal.isForKeys() && slots.foundBy(String.valueOf(refusal.getMessage()))
                            ? refusal.forNow()
                            : refusal);
        }
    }

    private static void confirm(PendingCommand<?> call, StatefulConnection<String, String> node, List<Object> value) {
        CompletionStage<?> confirmation;
        try {
            confirmation = call.confirmation(node, value);
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
                // The script has already written, even though this step failed.
                call.fail(RedisFailure.classify(failure).afterWrite());
            }
        });
    }

    /** Called when a command that was sent over the given connection has failed. */
    void failed(StatefulConnection<?, ?> connection, RedisFailure failure, boolean written) {
        if (RedisFailure.isWrongNode(failure) || (failure.kind() == Kind.NO_ANSWER && !written)) {
            link.suspect(connection);
        }
    }
}
