package dev.holdfast.lock.internal.connection;

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
 * A command and its answer: whether it was sent, when, and whether Redis has already written something.
 *
 * <p>Sending and the end of the wait exclude each other. After a call has expired nothing of its command is sent, so the caller can take it back.
 *
 * @param <T> what the caller gets of the answer
 */
final class PendingCommand<T> extends CompletableFuture<T> {

    /** What follows an answer on the same connection: null if the answer counts, else what must succeed for it to count. */
    @FunctionalInterface
    interface Confirmation
            extends BiFunction<RedisClusterAsyncCommands<String, String>, List<Object>, @Nullable CompletionStage<?>> {}

    private final Commands sender;
    private final CommandType type;
    private final @Nullable Script script;
    private final List<String> keys;
    private final List<String> args;
    private final Function<ScriptResult, T> reader;
    private final @Nullable Confirmation confirmation;
    private volatile @Nullable StatefulConnection<?, ?> connection;
    private boolean sent;
    private volatile boolean written;
    private long sentAt;

    /** When the wait for an answer ends. Set before {@link CommandTimeouts} has the call. */
    long expiresAt;

    /**
     * Creates a call that is not sent yet.
     *
     * @param type the command; for a script's run {@link CommandType#EVALSHA}
     * @param script null for a command that is no script
     * @param reader makes of the answer what the caller gets
     * @param confirmation what follows the answer; null if every answer counts
     */
    PendingCommand(
            Commands sender,
            CommandType type,
            @Nullable Script script,
            List<String> keys,
            List<String> args,
            Function<ScriptResult, T> reader,
            @Nullable Confirmation confirmation) {
        this.sender = sender;
        this.type = type;
        this.script = script;
        this.keys = keys;
        this.args = args;
        this.reader = reader;
        this.confirmation = confirmation;
    }

    /** The key that says which node is asked; null for a command without one. */
    @Nullable
    String key() {
        return keys.isEmpty() ? null : keys.get(0);
    }

    /**
     * Sends, unless the call has ended: then null. Sending again moves the moment of sending, because what was sent before was not executed.
     *
     * @param asText a script as its text, and not by its digest
     */
    synchronized @Nullable CompletionStage<List<Object>> send(
            RedisClusterAsyncCommands<String, String> redis, boolean asText) {
        if (isDone()) {
            return null;
        }
        sent = true;
        sentAt = sender.now();
        try {
            return redis.dispatch(asText ? CommandType.EVAL : type, new ScriptOutput(), arguments(asText));
        } catch (RuntimeException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    private CommandArgs<String, String> arguments(boolean asText) {
        CommandArgs<String, String> all = new CommandArgs<>(StringCodec.UTF8);
        if (script != null) {
            all.add(asText ? script.text() : script.sha()).add(keys.size());
        }
        for (String key : keys) {
            all.addKey(key);
        }
        for (String arg : args) {
            all.addValue(arg);
        }
        return all;
    }

    /** What must succeed on the same connection for the answer to count; null if nothing. */
    @Nullable
    CompletionStage<?> confirmation(RedisClusterAsyncCommands<String, String> redis, List<Object> answer) {
        return confirmation == null ? null : confirmation.apply(redis, answer);
    }

    void answered(List<Object> answer) {
        try {
            complete(read(answer));
        } catch (RuntimeException unreadable) {
            completeExceptionally(unreadable);
        }
    }

    /** With the moment before the command was written to its open connection. */
    private synchronized T read(List<Object> answer) {
        return reader.apply(new ScriptResult(answer, sentAt));
    }

    /** Redis has executed the command, and a further step decides whether it counts. */
    void written() {
        written = true;
    }

    /** Ends the wait for an answer. */
    synchronized void expire(String limit) {
        fail(RedisFailure.timedOut(sent, limit));
    }

    void sentOver(StatefulConnection<?, ?> used) {
        connection = used;
    }

    /** Ends the call, and tells its sender where that puts the connection in doubt. */
    void fail(RedisFailure failure) {
        StatefulConnection<?, ?> used = connection;
        if (completeExceptionally(failure) && used != null) {
            sender.failed(used, failure, written);
        }
    }
}
