package dev.holdfast.lock.connection;

import dev.holdfast.lock.connection.RedisFailure.Kind;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * Sends commands over a link: scripts by their digest, loaded where the server does not know them. Each command is sent at most once, and
 * none after its caller has stopped waiting: whoever takes back an unanswered command must be sure that nothing of it follows.
 *
 * @param <C> the kind of connection
 */
final class Commands<C extends StatefulConnection<String, String>> {

    private final Link<C> link;
    private final Function<C, RedisClusterAsyncCommands<String, String>> async;
    private final Patience patience;

    Commands(Link<C> link, Function<C, RedisClusterAsyncCommands<String, String>> async, Patience patience) {
        this.link = link;
        this.async = async;
        this.patience = patience;
    }

    CompletableFuture<List<Object>> run(Script script, List<String> keys, List<String> args) {
        String[] keyArray = keys.toArray(String[]::new);
        String[] argArray = args.toArray(String[]::new);
        return send(
                commands -> commands.<List<Object>>evalsha(script.sha(), ScriptOutputType.MULTI, keyArray, argArray),
                commands -> commands.<List<Object>>eval(script.text(), ScriptOutputType.MULTI, keyArray, argArray));
    }

    <T> CompletableFuture<T> send(
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command,
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> ifScriptIsUnknown) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        AtomicBoolean sent = new AtomicBoolean();
        patience.limit(answer, sent);
        link.connection().whenComplete((connection, failure) -> {
            if (failure != null) {
                answer.completeExceptionally(Failures.of(failure));
            } else {
                dispatch(answer, sent, connection, command, ifScriptIsUnknown);
            }
        });
        return answer;
    }

    private <T> void dispatch(
            CompletableFuture<T> answer,
            AtomicBoolean attempted,
            C connection,
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command,
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> ifScriptIsUnknown) {
        CompletionStage<T> sent;
        // Against the same monitor in Patience: once a caller was told that no answer came, nothing of its command is
        // sent.
        synchronized (answer) {
            if (answer.isDone()) {
                return;
            }
            attempted.set(true);
            try {
                sent = command.apply(async.apply(connection));
            } catch (RuntimeException refused) {
                sent = CompletableFuture.failedFuture(refused);
            }
        }
        watch(answer, connection);
        sent.whenComplete((value, failure) -> {
            if (failure == null) {
                answer.complete(value);
            } else if (Failures.isNoScript(failure) && command != ifScriptIsUnknown) {
                dispatch(answer, attempted, connection, ifScriptIsUnknown, ifScriptIsUnknown);
            } else {
                answer.completeExceptionally(Failures.of(failure));
            }
        });
    }

    private <T> void watch(CompletableFuture<T> answer, C connection) {
        answer.whenComplete((value, failure) -> {
            if (failure instanceof RedisFailure broken
                    && (broken.kind() == Kind.NO_ANSWER || Failures.isWrongNode(broken))) {
                link.suspect(connection);
            }
        });
    }
}
