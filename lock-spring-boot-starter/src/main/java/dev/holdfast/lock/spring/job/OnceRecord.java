package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.LockState.Holder;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.job.Once.Claim;
import dev.holdfast.lock.spring.job.Once.Look;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import org.jspecify.annotations.Nullable;

/** The record beside the lock of a call that must run only once. In blocking mode, each answer is complete when it is returned. */
record OnceRecord(LockClient client, LockRecord record, Once once) {

    /**
     * Looks before the lock is requested, so that a call with nothing to run does not wait for it. Fails with {@link Once.AlreadyRan} in that case. A
     * call that waits does not fail if Redis does not answer, because its wait includes outages.
     */
    CompletableFuture<?> look(boolean blocking, boolean waits) {
        return read(blocking, false)
                .handle((claim, failure) -> {
                    Throwable cause = failure == null ? null : AroundLock.cause(failure);
                    boolean passes = cause == null || (waits && cause instanceof LockUnavailableException);
                    return passes
                            ? CompletableFuture.completedFuture(claim)
                            : CompletableFuture.<@Nullable Claim>failedFuture(cause);
                })
                .thenCompose(next -> next);
    }

    /** Returns what a run that begins now leaves in the record. The lock is held. Fails with {@link Once.AlreadyRan} if there is nothing to run. */
    CompletableFuture<Claim> claim(boolean blocking) {
        return read(blocking, true);
    }

    private CompletableFuture<Claim> read(boolean blocking, boolean underLock) {
        CompletableFuture<LockRecord.Reading> reading = AroundLock.answer(blocking, record::read, record::readAsync);
        // A name is found by a call that blocks.
        return blocking || !once.needsHolder()
                ? reading.thenApply(found -> once.claim(new Look(record.lockName(), found, underLock, this::holder)))
                : reading.thenApplyAsync(
                        found -> once.claim(new Look(record.lockName(), found, underLock, this::holder)),
                        ForkJoinPool.commonPool());
    }

    /** Returns the name of the instance that holds the lock; null if it is not held. The name is only for logs. */
    private @Nullable String holder() {
        try {
            return client.inspect(record.lockName())
                    .map(state -> name(state.holder()))
                    .orElse(null);
        } catch (LockException notAnswered) {
            return null;
        }
    }

    private static String name(Holder holder) {
        return LogText.escape(holder.clientName() == null ? holder.client() : holder.clientName());
    }

    /** Writes a text, if there is one. */
    CompletableFuture<?> write(boolean blocking, Lease holder, @Nullable String text, Duration keep) {
        if (text == null) {
            return CompletableFuture.completedFuture(null);
        }
        return AroundLock.answer(
                blocking,
                () -> {
                    record.write(holder, text, keep);
                    return true;
                },
                () -> record.writeAsync(holder, text, keep).thenApply(done -> true));
    }
}
