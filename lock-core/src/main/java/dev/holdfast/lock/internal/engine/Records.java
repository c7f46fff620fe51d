package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.LockRecord.Reading;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.ScriptResult;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.protocol.Scripts;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Reads and writes {@link LockRecord}s. */
public final class Records {

    private final RedisGateway gateway;
    private final int minReplicas;

    Records(RedisGateway gateway, int minReplicas) {
        this.gateway = gateway;
        this.minReplicas = minReplicas;
    }

    public CompletableFuture<Reading> read(String name, String key) {
        return gateway.run(Scripts.RECORD_READ, List.of(key), List.of())
                .handle((answer, failure) -> answered(name, answer, failure))
                .thenApply(answer -> new Reading(
                        answer.size() > 1 ? (String) answer.get(1) : null, Instant.ofEpochMilli((Long) answer.get(0))));
    }

    /** Writes the text. If the holder no longer owns the lock in Redis, the lease becomes lost, and the stage fails with that loss. */
    public CompletableFuture<Void> write(HeldLease holder, String text, long keepMillis) {
        List<String> args = List.of(
                holder.grant().owner(),
                Long.toString(keepMillis),
                Long.toString(holder.grant().firstToken()),
                Long.toString(holder.fencingToken()),
                text);
        return gateway.runReplicated(
                        Scripts.RECORD_WRITE,
                        List.of(holder.grant().key()),
                        args,
                        minReplicas,
                        LockProtocol::isYes,
                        ScriptResult::values)
                .handle((answer, failure) -> answered(holder.lockName(), answer, failure))
                .thenAccept(answer -> {
                    if (!LockProtocol.isYes(answer)) {
                        holder.gone();
                        holder.assertHeld();
                    }
                });
    }

    private static List<Object> answered(String name, @Nullable List<Object> answer, @Nullable Throwable failure) {
        if (failure != null || answer == null) {
            throw RedisFailures.unavailable(name, failure);
        }
        return answer;
    }
}
