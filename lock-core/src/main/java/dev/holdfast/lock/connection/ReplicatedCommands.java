package dev.holdfast.lock.connection;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.connection.RedisFailure.Kind;
import dev.holdfast.lock.lease.Ticker;
import dev.holdfast.lock.lease.Timer;
import io.lettuce.core.api.StatefulConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Scripts that count only once enough replicas have confirmed them. WAIT speaks of the writes of its own connection and keeps that connection
 * waiting, so it has one of its own, opened when first wanted.
 */
final class ReplicatedCommands {

    private final Nodes nodes;
    private final LinkFactory links;
    private final ConnectionSettings settings;
    private final Patience patience;
    private @Nullable Link<StatefulConnection<String, String>> link;

    ReplicatedCommands(Nodes nodes, LinkFactory links, ConnectionSettings settings, Timer timer, Ticker ticker) {
        this.nodes = nodes;
        this.links = links;
        this.settings = settings;
        this.patience = new Patience(settings.commandTimeout(), timer, ticker);
    }

    private synchronized Link<StatefulConnection<String, String>> link() {
        Link<StatefulConnection<String, String>> opened = link;
        if (opened == null) {
            opened = links.open("replicated", nodes::openCommands, nodes.isCluster(), connection -> {});
            link = opened;
            opened.start();
        }
        return opened;
    }

    CompletableFuture<List<Object>> run(
            Script script,
            List<String> keys,
            List<String> args,
            int replicas,
            Function<List<Object>, Boolean> isWrite) {
        Link<StatefulConnection<String, String>> used = link();
        CompletableFuture<List<Object>> answer = new CompletableFuture<>();
        new Commands<>(used, nodes::async, patience)
                .run(script, keys, args)
                .thenCompose(written -> isWrite.apply(written)
                        ? confirmed(used, keys.get(0), replicas).thenApply(enough -> written)
                        : CompletableFuture.completedFuture(written))
                .whenComplete((written, failure) -> {
                    if (failure == null) {
                        answer.complete(written);
                    } else {
                        answer.completeExceptionally(Failures.of(failure));
                    }
                });
        // One command timeout over both steps, as callers were promised; behind the script's own, which knows whether
        // it was sent.
        patience.limit(answer, new AtomicBoolean(true));
        return answer;
    }

    private CompletionStage<Long> confirmed(Link<StatefulConnection<String, String>> used, String key, int replicas) {
        Duration limit = settings.commandTimeout().dividedBy(2);
        CompletableFuture<Long> answer = new CompletableFuture<>();
        patience.limit(answer, new AtomicBoolean(true));
        used.connection()
                .thenCompose(connection -> nodes.writerOf(connection, key))
                .thenCompose(writer -> writer.waitForReplication(replicas, limit.toMillis()))
                .whenComplete((confirmations, failure) -> {
                    if (failure != null) {
                        answer.completeExceptionally(Failures.of(failure));
                    } else if (confirmations < replicas) {
                        String message = "only " + confirmations + " of " + replicas + " replicas confirmed within "
                                + LogText.time(limit);
                        answer.completeExceptionally(
                                new RedisFailure(Kind.NO_ANSWER, message, new IllegalStateException(message)));
                    } else {
                        answer.complete(confirmations);
                    }
                });
        return answer;
    }

    synchronized void close() {
        if (link != null) {
            link.close();
        }
    }
}
