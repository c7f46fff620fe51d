package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.LockRecord.Reading;
import dev.holdfast.lock.LockRecord.Replacement;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.protocol.Scripts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Reads and writes {@link LockRecord}s. */
public final class Records {

    /** The answer of the script that has written; another one says that the text was not what it had to be. */
    private static final long WRITTEN = 1;

    private final RedisGateway gateway;

    Records(RedisGateway gateway) {
        this.gateway = gateway;
    }

    public CompletableFuture<Reading> read(String name, String key) {
        return gateway.run(Scripts.RECORD_READ, List.of(key), List.of())
                .handle((answer, failure) -> answered(name, answer, failure))
                .thenApply(answer -> reading(answer, answer.size() > 1 ? (String) answer.get(1) : null, 0));
    }

    private static Reading reading(List<Object> answer, @Nullable String text, int time) {
        return new Reading(text, Instant.ofEpochMilli((Long) answer.get(time)));
    }

    /** Writes the text. If the holder no longer owns the lock in Redis, the lease becomes lost, and the stage fails with that loss. */
    public CompletableFuture<Void> write(HeldLease holder, String text, long keepMillis) {
        return write(holder, args(holder, text, keepMillis)).thenAccept(answer -> {});
    }

    /** Does the same, unless the record does not say any more what it said before. */
    public CompletableFuture<Replacement> replace(
            HeldLease holder, @Nullable String before, String text, long keepMillis) {
        List<String> args = args(holder, text, keepMillis);
        args.add(before == null ? "" : before);
        return write(holder, args).thenApply(answer -> {
            boolean isWritten = (Long) answer.get(0) == WRITTEN;
            return new Replacement(isWritten, reading(answer, isWritten ? text : other(answer), 1));
        });
    }

    private static @Nullable String other(List<Object> answer) {
        String text = (String) answer.get(2);
        return text.isEmpty() ? null : text;
    }

    private static List<String> args(HeldLease holder, String text, long keepMillis) {
        return new ArrayList<>(List.of(Long.toString(holder.fencingToken()), Long.toString(keepMillis), text));
    }

    private static CompletableFuture<List<Object>> write(HeldLease holder, List<String> args) {
        return ((Guard) holder.guard()).send(Scripts.RECORD_WRITE, List.of(), args);
    }

    private static List<Object> answered(String name, @Nullable List<Object> answer, @Nullable Throwable failure) {
        if (failure != null || answer == null) {
            throw RedisFailures.unavailable(name, failure);
        }
        return answer;
    }
}
