package dev.holdfast.lock.redis;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.CallbackThreads;
import dev.holdfast.lock.internal.engine.Records;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** The text beside a lock as its users see it. */
record RedisRecord(String lockName, String key, RedisLockClient client) implements LockRecord {

    @Override
    public Reading read() {
        return join(asked());
    }

    @Override
    public CompletionStage<Reading> readAsync() {
        return CallbackThreads.view(asked(), client.settings.callbacks());
    }

    private CompletableFuture<Reading> asked() {
        return client.whenStarted(lockName, now -> now.records().read(lockName, key));
    }

    @Override
    public void write(Lease holder, String text, Duration keep) {
        join(written(holder, text, keep));
    }

    @Override
    public CompletionStage<Void> writeAsync(Lease holder, String text, Duration keep) {
        return CallbackThreads.view(written(holder, text, keep), client.settings.callbacks());
    }

    @Override
    public Replacement replace(Lease holder, @Nullable String before, String text, Duration keep) {
        return join(replaced(holder, before, text, keep));
    }

    @Override
    public CompletionStage<Replacement> replaceAsync(
            Lease holder, @Nullable String before, String text, Duration keep) {
        return CallbackThreads.view(replaced(holder, before, text, keep), client.settings.callbacks());
    }

    private CompletableFuture<Void> written(Lease holder, String text, Duration keep) {
        return asHolder(holder, text, keep, (records, lease) -> records.write(lease, text, keep.toMillis()));
    }

    private CompletableFuture<Replacement> replaced(Lease holder, @Nullable String before, String text, Duration keep) {
        return asHolder(holder, text, keep, (records, lease) -> records.replace(lease, before, text, keep.toMillis()));
    }

    private <T> CompletableFuture<T> asHolder(
            @Nullable Lease holder,
            @Nullable String text,
            Duration keep,
            BiFunction<Records, HeldLease, CompletableFuture<T>> write) {
        HeldLease lease = leaseOfThisLock(holder);
        long keepMillis = TimeUnit.NANOSECONDS.toMillis(LeaseTerms.nanos("keep", keep));
        if (keepMillis < 1 || keep.compareTo(MAX_KEEP) > 0) {
            throw new IllegalArgumentException("'keep' must be between PT0.001S and " + MAX_KEEP + ", was " + keep);
        }
        int bytes = text == null ? MAX_BYTES + 1 : text.getBytes(StandardCharsets.UTF_8).length;
        if (text == null || bytes > MAX_BYTES) {
            throw new IllegalArgumentException("'text' must have at most " + MAX_BYTES + " bytes of UTF-8, "
                    + (text == null ? "was null" : "had " + bytes));
        }
        return client.whenStarted(lockName, now -> write.apply(now.records(), lease));
    }

    private HeldLease leaseOfThisLock(@Nullable Lease holder) {
        if (holder instanceof HeldLease held
                && held.grant().key().equals(key)
                && (held.kind() == LockKind.REENTRANT || held.kind() == LockKind.FAIR)) {
            return held;
        }
        throw new IllegalArgumentException("'holder' must be a lease of the re-entrant or fair lock '"
                + LogText.escape(lockName) + "', as this client grants them, was "
                + (holder == null
                        ? "null"
                        : holder.getClass().getName() + " on '" + LogText.escape(holder.lockName()) + "'"));
    }

    private <T> T join(CompletableFuture<T> answer) {
        return client.await(lockName, answer);
    }
}
