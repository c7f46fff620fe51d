package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.LockRecord.Reading;
import dev.holdfast.lock.LockRecord.Replacement;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.ScriptResult;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.protocol.LockProtocol;
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
    private final int minReplicas;

    Records(RedisGateway gateway, int minReplicas) {
        this.gateway = gateway;
        this.minReplicas = minReplicas;
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
        return new ArrayList<>(List.of(
                holder.grant().owner(),
                Long.toString(keepMillis),
                Long.toString(holder.grant().firstToken()),
                Long.toString(holder.fencingToken()),
                text));
    }

    private CompletableFuture<List<Object>> write(HeldLease holder, List<String> args) {
        return gateway.runReplicated(
                        Scripts.RECORD_WRITE,
                        List.of(holder.grant().key()),
                        args,
                        minReplicas,
                        LockProtocol::isYes,
                        ScriptResult::values)
                .handle((answer, failure) -> answered(holder.lockName(), answer, failure))
                .thenApply(answer -> {
                    if (!LockProtocol.isYes(answer)) {
                        holder.gone();
                        holder.assertHeld();
                    }
                    return answer;
                });
    }

    private static List<Object> answered(String name, @Nullable List<Object> answer, @Nullable Throwable failure) {
        if (failure != null || answer == null) {
            throw RedisFailures.unavailable(name, failure);
        }
        return answer;
    }
}
