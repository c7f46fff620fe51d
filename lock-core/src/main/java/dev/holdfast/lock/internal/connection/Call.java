package dev.holdfast.lock.internal.connection;

import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A command and its answer. Knows whether the command was sent, when, and whether Redis has executed a part of it that stays.
 *
 * <p>Sending and the end of the wait exclude each other: once the caller was told that no answer came, nothing of its command is sent, so the
 * caller can take an unanswered command back.
 *
 * @param <T> the answer
 */
final class Call<T> extends CompletableFuture<T> {

    private final LongSupplier clock;
    private boolean sent;
    private long sentAt;
    private volatile boolean written;

    Call(LongSupplier clock) {
        this.clock = clock;
    }

    /** Sends, unless the call has ended; sending again moves {@link #sentAt} because what was sent before was not executed. */
    synchronized <S> @Nullable S send(Supplier<S> sending) {
        if (isDone()) {
            return null;
        }
        sent = true;
        sentAt = clock.getAsLong();
        return sending.get();
    }

    /** The moment before the command was written to its open connection. */
    synchronized long sentAt() {
        return sentAt;
    }

    /** Redis has written what was asked for, and a further step decides about it. */
    void written() {
        written = true;
    }

    boolean isWritten() {
        return written;
    }

    /** Ends the wait for an answer. */
    synchronized void expire(String limit) {
        completeExceptionally(RedisFailure.timedOut(sent, limit));
    }
}
