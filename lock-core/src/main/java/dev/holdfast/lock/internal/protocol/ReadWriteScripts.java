package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.connection.ScriptResult;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.protocol.LockProtocol.Question;
import dev.holdfast.lock.internal.protocol.LockProtocol.Release;
import dev.holdfast.lock.internal.protocol.LockProtocol.Released;
import dev.holdfast.lock.internal.protocol.LockProtocol.Reply;
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
    CompletionStage<Reply> acquire(Script script, Question question, String field, List<String> rest) {
        String key = question.key();
        List<String> names =
                List.of(key, keys.tokenKey(key), keys.hold(key, field), keys.line(key), keys.lineDeadlines(key));
        List<String> args = new ArrayList<>(List.of(
                field,
                Long.toString(question.terms().ttlMillis()),
                Long.toString(question.highestDrawn()),
                keys.holds(key),
                Long.toString(question.patienceMillis()),
                keys.wakePrefix(key),
                keys.clusterFlag()));
        args.addAll(rest);
        return gateway.runReplicated(script, names, args, minReplicas, ReadWriteScripts::isYes)
                .thenApply(ReadWriteScripts::reply);
    }

    private static Reply reply(ScriptResult acquisition) {
        List<Object> answer = acquisition.values();
        return isYes(answer)
                ? PlainProtocol.granted(acquisition)
                : new Reply.Busy(
                        (Long) answer.get(1),
                        WriteProtocol.owner((String) answer.get(2)),
                        null,
                        acquisition.sentAt(),
                        Long.MAX_VALUE,
                        (Long) answer.get(3) == 1);
    }

    private static boolean isYes(List<Object> answer) {
        return ((Long) answer.get(0)) == 1;
    }

    CompletionStage<Released> release(Release release, String field) {
        String key = release.key();
        List<String> args = List.of(
                field,
                Long.toString(release.keepMillis()),
                keys.holds(key),
                keys.readWriteChannel(key),
                keys.clusterFlag(),
                keys.wakePrefix(key));
        List<String> names = List.of(key, keys.hold(key, field), keys.line(key), keys.lineDeadlines(key));
        return gateway.run(RELEASE, names, args).thenApply(PlainProtocol::released);
    }

    CompletionStage<Boolean> extend(String key, String field, long ttlMillis) {
        List<String> args = List.of(field, Long.toString(ttlMillis));
        return gateway.run(EXTEND, List.of(key, keys.hold(key, field)), args).thenApply(ReadWriteScripts::isYes);
    }

    /** The keys by which a grant is renewed. */
    List<String> renewed(Grant grant, String field) {
        return List.of(grant.key(), keys.hold(grant.key(), field));
    }
}
