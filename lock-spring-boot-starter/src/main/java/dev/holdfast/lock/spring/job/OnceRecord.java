package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.LockRecord.Reading;
import dev.holdfast.lock.LockState.Holder;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.call.AroundLock;
import dev.holdfast.lock.spring.call.ReleaseTimer;
import dev.holdfast.lock.spring.job.Once.Claim;
import dev.holdfast.lock.spring.job.Once.Look;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The record beside the lock of a call that must run only once. In blocking mode, each answer is complete when it is returned. */
record OnceRecord(
        LockClient client,
        LockRecord record,
        Once once,
        @Nullable KnownJob job,
        @Nullable Claim repeats) {

    /** What was read, and when by the time of this process. */
    record Seen(Reading reading, long nanos) {
        Reading now() {
            return new Reading(
                    reading.text(),
                    reading.time().plusMillis(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos)));
        }
    }

    /**
     * Looks before the lock is requested, so that a call with nothing to run does not wait for it. Fails with {@link Once.AlreadyRan} in that case. A
     * call that waits does not fail if Redis does not answer, because its wait includes outages; the answer is null then.
     */
    CompletableFuture<@Nullable Seen> look(boolean blocking, boolean waits) {
        CompletableFuture<@Nullable Seen> looked = read(blocking)
                .thenCompose(seen -> decided(blocking, seen, false).thenApply(claim -> seen));
        return looked.exceptionallyCompose(
                failure -> waits && AroundLock.cause(failure) instanceof LockUnavailableException
                        ? CompletableFuture.completedFuture(null)
                        : CompletableFuture.failedFuture(failure));
    }

    /**
     * Decides under the lock, and writes what a run that begins now leaves in the record. Fails with {@link Once.AlreadyRan} if there is nothing to
     * run.
     *
     * @param seen what was read before the lock was requested; null if nothing was
     */
    CompletableFuture<Claim> claim(boolean blocking, Lease holder, @Nullable Seen seen) {
        if (seen != null && once.readsOnce()) {
            return decided(blocking, seen, true)
                    .thenCompose(claim -> claim.atStart() == null
                            ? claimAfterReading(blocking, holder)
                            : replaced(blocking, holder, seen.reading(), claim));
        }
        return claimAfterReading(blocking, holder);
    }

    private CompletableFuture<Claim> claimAfterReading(boolean blocking, Lease holder) {
        return read(blocking)
                .thenCompose(seen -> decided(blocking, seen, true))
                .thenCompose(claim ->
                        write(blocking, holder, claim.atStart(), claim.keep()).thenApply(written -> claim));
    }

    /** Writes the claim, unless another call has written since. */
    private CompletableFuture<Claim> replaced(boolean blocking, Lease holder, Reading before, Claim claim) {
        String text = Objects.requireNonNull(claim.atStart());
        return AroundLock.answer(
                        blocking,
                        () -> record.replace(holder, before.text(), text, claim.keep()),
                        () -> record.replaceAsync(holder, before.text(), text, claim.keep()))
                .thenCompose(done -> {
                    Seen now = saw(done.now());
                    return done.isWritten()
                            ? CompletableFuture.completedFuture(claim)
                            : decided(blocking, now, true)
                                    .thenCompose(other -> replaced(blocking, holder, now.reading(), other));
                });
    }

    private CompletableFuture<Seen> read(boolean blocking) {
        return AroundLock.answer(blocking, record::read, record::readAsync).thenApply(this::saw);
    }

    private Seen saw(Reading reading) {
        if (job != null) {
            job.saw(reading);
        }
        return new Seen(reading, System.nanoTime());
    }

    private CompletableFuture<Claim> decided(boolean blocking, Seen seen, boolean underLock) {
        // A name is found by a call that blocks. It is only for logs, so nothing waits for it.
        Executor asking = blocking ? Runnable::run : ReleaseTimer.threadFor("holdfast-holder");
        Consumer<Consumer<String>> holder = use -> asking.execute(() -> tellHolder(use));
        try {
            return CompletableFuture.completedFuture(once.claim(
                    new Look(record.lockName(), seen.now(), underLock, holder, client.clientName(), job, repeats)));
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void tellHolder(Consumer<String> use) {
        try {
            client.inspect(record.lockName()).ifPresent(state -> use.accept(name(state.holder())));
        } catch (LockException notAnswered) {
            // Nobody needs the name.
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
