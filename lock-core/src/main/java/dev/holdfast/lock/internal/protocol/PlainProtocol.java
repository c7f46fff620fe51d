package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.connection.ScriptResult;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.waiting.Answer;
import dev.holdfast.lock.internal.waiting.Answer.Busy;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The plain lock and the fair one: a hash of the owner, and a line of places of those who wait. They differ in who has a place, a client or each of
 * its waiters, and in that a fair lock never passes over the first in line.
 */
public final class PlainProtocol implements LockProtocol {

    static final Script RENEW = Script.load(PlainProtocol.class, "renew");
    private static final Script ACQUIRE = Script.load(PlainProtocol.class, "acquire");
    private static final Script EXTEND = Script.load(PlainProtocol.class, "extend");
    private static final Script RELEASE = Script.load(PlainProtocol.class, "release");

    private final RedisGateway gateway;
    private final LockKeys keys;
    private final int minReplicas;
    private final String kind;

    public PlainProtocol(RedisGateway gateway, LockKeys keys, int minReplicas, LockKind kind) {
        this.gateway = gateway;
        this.keys = keys;
        this.minReplicas = minReplicas;
        this.kind = kind == LockKind.FAIR ? "fair" : "";
    }

    @Override
    public CompletionStage<Answer> acquire(AcquireRequest request) {
        String key = request.key();
        List<String> args = List.of(
                request.owner(),
                Long.toString(request.terms().ttlMillis()),
                Long.toString(request.highestDrawn()),
                Long.toString(request.patienceMillis()),
                kind,
                keys.plainChannel(key),
                keys.clusterFlag(),
                keys.wakePrefix(key));
        return gateway.runReplicated(ACQUIRE, lineKeys(key), args, minReplicas, PlainProtocol::isYes)
                .thenApply(result -> answer(request, result));
    }

    private List<String> lineKeys(String key) {
        return List.of(key, keys.tokenKey(key), keys.line(key), keys.lineDeadlines(key));
    }

    private static Answer answer(AcquireRequest request, ScriptResult result) {
        List<Object> answer = result.values();
        return isYes(answer)
                ? request.granted(result)
                : Busy.of(
                        (Long) answer.get(1),
                        (String) answer.get(2),
                        null,
                        result.sentAt(),
                        (Long) answer.get(3),
                        (Long) answer.get(4) == 1);
    }

    public static boolean isYes(List<Object> answer) {
        return ((Long) answer.get(0)) == 1;
    }

    @Override
    public CompletionStage<ReleaseResult> release(ReleaseRequest request) {
        String key = request.key();
        List<String> args = List.of(
                request.owner(),
                Long.toString(request.keepMillis()),
                keys.plainChannel(key),
                keys.clusterFlag(),
                keys.wakePrefix(key),
                Long.toString(request.highestDrawn()),
                kind);
        return gateway.run(RELEASE, lineKeys(key), args).thenApply(PlainProtocol::result);
    }

    static ReleaseResult result(List<Object> answer) {
        return new ReleaseResult(isYes(answer), (Long) answer.get(1) >= 0);
    }

    @Override
    public CompletionStage<Boolean> extend(Grant grant, long ttlMillis) {
        List<String> args = List.of(grant.owner(), Long.toString(ttlMillis), Long.toString(grant.firstToken()));
        return gateway.run(EXTEND, List.of(grant.key()), args).thenApply(PlainProtocol::isYes);
    }

    @Override
    public Script renewal() {
        return RENEW;
    }

    /** Redisson's fair lock tells its next in line alone. */
    @Override
    public String channel(String key, String owner) {
        return kind.isEmpty() ? channel(key) : channel(key) + ":" + owner;
    }

    @Override
    public String wakePrefix(String key) {
        return keys.wakePrefix(key);
    }

    @Override
    public String channel(String key) {
        return keys.plainChannel(key);
    }
}
