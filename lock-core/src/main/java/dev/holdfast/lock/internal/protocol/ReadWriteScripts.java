package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.connection.ScriptResult;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.protocol.LockProtocol.AcquireRequest;
import dev.holdfast.lock.internal.protocol.LockProtocol.ReleaseRequest;
import dev.holdfast.lock.internal.protocol.LockProtocol.ReleaseResult;
import dev.holdfast.lock.internal.waiting.Answer;
import dev.holdfast.lock.internal.waiting.Answer.Busy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** What both sides of a read/write lock do alike: a holder is a field of the lock's hash and a key of its own that ends with its lease. */
public final class ReadWriteScripts {

    static final Script RENEW = Script.load(ReadWriteScripts.class, "rw-renew");
    private static final Script EXTEND = Script.load(ReadWriteScripts.class, "rw-extend");
    private static final Script RELEASE = Script.load(ReadWriteScripts.class, "rw-release");

    private final RedisGateway gateway;
    private final LockKeys keys;
    private final int minReplicas;

    public ReadWriteScripts(RedisGateway gateway, LockKeys keys, int minReplicas) {
        this.gateway = gateway;
        this.keys = keys;
        this.minReplicas = minReplicas;
    }

    /** Runs the script of one side, which is told the same of every side and then what only that side needs to know. */
    CompletionStage<Answer> acquire(Script script, AcquireRequest request, String field, List<String> rest) {
        String key = request.key();
        List<String> names =
                List.of(key, keys.tokenKey(key), keys.hold(key, field), keys.line(key), keys.lineDeadlines(key));
        List<String> args = new ArrayList<>(List.of(
                field,
                Long.toString(request.terms().ttlMillis()),
                Long.toString(request.highestDrawn()),
                keys.holds(key),
                Long.toString(request.patienceMillis()),
                keys.wakePrefix(key),
                keys.clusterFlag()));
        args.addAll(rest);
        return gateway.runReplicated(
                script, names, args, minReplicas, PlainProtocol::isYes, result -> answer(request, result));
    }

    private static Answer answer(AcquireRequest request, ScriptResult result) {
        List<Object> answer = result.values();
        return PlainProtocol.isYes(answer)
                ? request.granted(result)
                : Busy.of(
                        (Long) answer.get(1),
                        WriteProtocol.owner((String) answer.get(2)),
                        null,
                        result.sentAt(),
                        Busy.NOT_TOLD,
                        (Long) answer.get(3) == 1);
    }

    CompletionStage<ReleaseResult> release(ReleaseRequest request, String field) {
        String key = request.key();
        List<String> args = List.of(
                field,
                Long.toString(request.keepMillis()),
                keys.holds(key),
                keys.readWriteChannel(key),
                keys.clusterFlag(),
                keys.wakePrefix(key));
        List<String> names = List.of(key, keys.hold(key, field), keys.line(key), keys.lineDeadlines(key));
        return gateway.run(RELEASE, names, args).thenApply(PlainProtocol::result);
    }

    CompletionStage<Boolean> extend(String key, String field, long ttlMillis) {
        List<String> args = List.of(field, Long.toString(ttlMillis));
        return gateway.run(EXTEND, List.of(key, keys.hold(key, field)), args).thenApply(PlainProtocol::isYes);
    }

    /** The keys by which a grant is renewed. */
    List<String> renewed(Grant grant, String field) {
        return List.of(grant.key(), keys.hold(grant.key(), field));
    }
}
