package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.lease.Ticker;
import io.lettuce.core.api.StatefulConnection;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A command and its answer: whether it was sent, when, and whether Redis has already written something.
 *
 * <p>Sending and the end of the wait exclude each other. After a call has expired nothing of its command is sent, so the caller can take it back.
 *
 * @param <T> the answer
 */
final class Call<T> extends CompletableFuture<T> {

    private final Ticker clock;
    private final Commands sender;
    private volatile @Nullable StatefulConnection<?, ?> connection;
    private boolean sent;
    private long sentAt;
    private volatile boolean written;

    Call(Ticker clock, Commands sender) {
        this.clock = clock;
        this.sender = sender;
    }

    /** Sends, unless the call has ended. Sending again moves {@link #sentAt}, because what was sent before was not executed. */
    synchronized <S> @Nullable S send(Supplier<S> sending) {
        if (isDone()) {
            return null;
        }
        sent = true;
        sentAt = clock.now();
        return sending.get();
    }

    /** The moment before the command was written to its open connection. */
    synchronized long sentAt() {
        return sentAt;
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
