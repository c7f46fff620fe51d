package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.connection.RedisFailure.Kind;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
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
    private final Nodes nodes;
    private final CommandTimeouts timeouts;

    /** How a command is sent. */
    @FunctionalInterface
    private interface Sending<T> {

        /** Sends a script as its text, or by its digest; other commands as they are. */
        CompletionStage<T> send(RedisClusterAsyncCommands<String, String> redis, boolean asText);
    }

    /** A command to one node, and what follows its answer on the same connection. */
    private record Step<T>(
            @Nullable String key,
            Sending<T> command,
            boolean isScript,
            boolean asText,

            @Nullable
            BiFunction<RedisClusterAsyncCommands<String, String>, T, @Nullable CompletionStage<?>> confirmation) {

        Step<T> withText() {
            return new Step<>(key, command, isScript, true, confirmation);
        }
    }

    Commands(ReconnectingConnection<StatefulConnection<String, String>> link, Nodes nodes, CommandTimeouts timeouts) {
        this.link = link;
        this.nodes = nodes;
        this.timeouts = timeouts;
    }

    Call<List<Object>> run(Script script, List<String> keys, List<String> args) {
        return run(script, keys, args, null);
    }

    /**
     * Runs a script.
     *
     * @param confirmation receives the connection that ran the script and the answer. Null, or null from it, if the answer counts; else what must
     *     succeed for it to count
     */
    Call<List<Object>> run(
            Script script,
            List<String> keys,
            List<String> args,
            @Nullable
                    BiFunction<RedisClusterAsyncCommands<String, String>, List<Object>, @Nullable CompletionStage<?>>
                            confirmation) {
        Call<List<Object>> call = new Call<>(timeouts.ticker(), this);
        send(
                call,
                new Step<>(
                        keys.get(0),
                        (redis, asText) -> redis.dispatch(
                                asText ? CommandType.EVAL : CommandType.EVALSHA,
                                new ScriptOutput(),
                                arguments(asText ? script.text() : script.sha(), keys, args)),
                        true,
                        false,
                        confirmation));
        return call;
    }

    private static CommandArgs<String, String> arguments(String script, List<String> keys, List<String> args) {
        CommandArgs<String, String> all =
                new CommandArgs<>(StringCodec.UTF8).add(script).add(keys.size());
        for (String key : keys) {
            all.addKey(key);
        }
        for (String arg : args) {
            all.addValue(arg);
        }
        return all;
    }

    /** Sends a command about that key, or about none. */
    <T> CompletableFuture<T> send(
            @Nullable String key, Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        Call<T> call = new Call<>(timeouts.ticker(), this);
        send(call, new Step<>(key, (redis, asText) -> command.apply(redis), false, false, null));
        return call;
    }

    private <T> void send(Call<T> call, Step<T> step) {
        StatefulConnection<String, String> open = link.currentOrNull();
        RedisClusterAsyncCommands<String, String> only = open == null ? null : nodes.only(open);
        if (open == null || only == null) {
            sendOnceConnected(call, step);
        } else {
            timeouts.limit(call);
            dispatch(call, step, open, only, 0);
        }
    }

    private <T> void sendOnceConnected(Call<T> call, Step<T> step) {
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
                route(call, step, connection, null, 0);
            } else {
                call.fail(Failures.of(failure));
            }
        });
    }

    private <T> void route(
            Call<T> call,
            Step<T> step,
            StatefulConnection<String, String> connection,
            @Nullable Throwable redirection,
            int redirections) {
        nodes.route(connection, step.key(), redirection).whenComplete((redis, failure) -> {
            if (failure == null) {
                dispatch(call, step, connection, redis, redirections);
            } else {
                // Nothing was sent, or the node that was asked before has executed nothing.
                call.fail(Failures.notConnected(failure));
            }
        });
    }

    private <T> void dispatch(
            Call<T> call,
            Step<T> step,
            StatefulConnection<String, String> connection,
            RedisClusterAsyncCommands<String, String> redis,
            int redirections) {
        CompletionStage<T> sent = call.send(() -> {
            try {
                return step.command().send(redis, step.asText());
            } catch (RuntimeException refused) {
                return CompletableFuture.failedFuture(refused);
            }
        });
        if (sent == null) {
            return;
        }
        if (redirections == 0) {
            call.sentOver(connection);
        }
        sent.whenComplete((value, failure) -> {
            if (failure == null) {
                confirm(call, step, redis, value);
            } else if (Failures.isNoScript(failure) && step.isScript() && !step.asText()) {
                dispatch(call, step.withText(), connection, redis, redirections);
            } else if (Failures.isRedirection(failure) && redirections < MOST_REDIRECTIONS) {
                route(call, step, connection, failure, redirections + 1);
            } else {
                call.fail(Failures.of(failure));
            }
        });
    }

    private static <T> void confirm(
            Call<T> call, Step<T> step, RedisClusterAsyncCommands<String, String> redis, T value) {
        CompletionStage<?> confirmation;
        try {
            confirmation =
                    step.confirmation() == null ? null : step.confirmation().apply(redis, value);
        } catch (RuntimeException refused) {
            confirmation = CompletableFuture.failedFuture(refused);
        }
        if (confirmation == null) {
            call.complete(value);
            return;
        }
        call.written();
        confirmation.whenComplete((confirmed, failure) -> {
            if (failure == null) {
                call.complete(value);
            } else {
                // The script has written, whatever failed here.
                call.fail(Failures.of(failure).afterWrite());
            }
        });
    }

    /** A call has failed that was sent over that connection. */
    void failed(StatefulConnection<?, ?> connection, RedisFailure failure, boolean written) {
        if (Failures.isWrongNode(failure) || (failure.kind() == Kind.NO_ANSWER && !written)) {
            link.suspect(connection);
        }
    }
}
