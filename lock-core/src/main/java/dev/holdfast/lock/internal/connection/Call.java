package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.lease.Ticker;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A command and its answer: whether it was sent, when, and whether Redis has already written something.
 *
 * <p>Sending and the end of the wait exclude each other. After a call has expired nothing of its command is sent, so the caller can take it back.
 *
 * @param <R> what Redis answers
 * @param <T> what the caller gets of it
 */
abstract class Call<R, T> extends CompletableFuture<T> {

    private final Ticker clock;
    private final Commands sender;
    private volatile @Nullable StatefulConnection<?, ?> connection;
    private boolean sent;
    private volatile boolean written;
    private long sentAt;

    /** When the wait for an answer ends. Set before {@link CommandTimeouts} has the call. */
    long expiresAt;

    Call(Ticker clock, Commands sender) {
        this.clock = clock;
        this.sender = sender;
    }

    /** The key that says which node is asked; null for a command without one. */
    abstract @Nullable String key();

    abstract boolean isScript();

    /** Writes the command to a connection: a script as its text, or by its digest. */
    abstract CompletionStage<R> write(RedisClusterAsyncCommands<String, String> redis, boolean asText);

    /** What must succeed on the same connection for the answer to count; null if nothing. */
    @Nullable
    CompletionStage<?> confirmation(RedisClusterAsyncCommands<String, String> redis, R answer) {
        return null;
    }

    abstract T read(R answer);

    /** Sends, unless the call has ended: then null. Sending again moves {@link #sentAt}, because what was sent before was not executed. */
    synchronized @Nullable CompletionStage<R> send(RedisClusterAsyncCommands<String, String> redis, boolean asText) {
        if (isDone()) {
            return null;
        }
        sent = true;
        sentAt = clock.now();
        try {
            return write(redis, asText);
        } catch (RuntimeException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    /** The moment before the command was written to its open connection. */
    synchronized long sentAt() {
        return sentAt;
    }

    void answered(R answer) {
        try {
            complete(read(answer));
        } catch (RuntimeException unreadable) {
            completeExceptionally(unreadable);
        }
    }

    /** Redis has executed the command, and a further step decides whether it counts. */
    void written() {
        written = true;
    }

    boolean isWritten() {
        return written;
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
