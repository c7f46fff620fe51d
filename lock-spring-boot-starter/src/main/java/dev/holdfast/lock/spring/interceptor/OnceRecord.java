package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.spring.interceptor.Once.Claim;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The record beside the lock of a call that must run only once. In blocking mode, each answer is complete when it is returned. */
record OnceRecord(LockRecord record, Once once) {

    /** Returns what a run that begins now leaves in the record. Fails with {@link Once.AlreadyRan} if there is nothing to run. */
    CompletableFuture<Claim> claim(boolean blocking) {
        return answer(blocking, record::read, record::readAsync)
                .thenApply(reading -> once.claim(record.lockName(), reading));
    }

    /** Writes a text, if there is one. */
    CompletableFuture<?> write(boolean blocking, Lease holder, @Nullable String text, Duration keep) {
        if (text == null) {
            return CompletableFuture.completedFuture(null);
        }
        return answer(
                blocking,
                () -> {
                    record.write(holder, text, keep);
                    return true;
                },
                () -> record.writeAsync(holder, text, keep).thenApply(done -> true));
    }

    private static <T> CompletableFuture<T> answer(
            boolean blocking, Supplier<T> sync, Supplier<? extends CompletionStage<T>> async) {
        try {
            return blocking
                    ? CompletableFuture.completedFuture(sync.get())
                    : async.get().toCompletableFuture();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
