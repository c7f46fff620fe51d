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
 * A semaphore: a hash with a field for each permit that is held, and the line of a plain or a fair lock. How many permits there are is part of an
 * owner's id: Redis keeps no number that could be lost, or differ from what the program says.
 */
public final class SemaphoreProtocol implements LockProtocol {

    private static final Script ACQUIRE = Script.load(SemaphoreProtocol.class, "semaphore-acquire");
    private static final Script RELEASE = Script.load(SemaphoreProtocol.class, "semaphore-release");
    private static final Script RENEW = Script.load(SemaphoreProtocol.class, "semaphore-renew");

    private final RedisGateway gateway;
    private final LockKeys keys;
    private final int minReplicas;
    private final String kind;

    public SemaphoreProtocol(RedisGateway gateway, LockKeys keys, int minReplicas, LockKind kind) {
        this.gateway = gateway;
        this.keys = keys;
        this.minReplicas = minReplicas;
        this.kind = kind.isFair() ? "fair-semaphore" : "semaphore";
    }

    @Override
    public CompletionStage<Answer> acquire(AcquireRequest request) {
        List<String> args = List.of(
                request.owner(),
                Long.toString(request.terms().ttlMillis()),
                Long.toString(request.highestDrawn()),
                Long.toString(request.patienceMillis()),
                kind);
        return gateway.runReplicated(
                ACQUIRE,
                names(request.key()),
                args,
                minReplicas,
                PlainProtocol::isYes,
                result -> answer(request, result));
    }

    private List<String> names(String key) {
        return keys.isCluster() ? List.of(key, keys.tokenKey(key)) : List.of(key);
    }

    /** Names no holder: a waiter has no single one to wait for. */
    private static Answer answer(AcquireRequest request, ScriptResult result) {
        List<Object> answer = result.values();
        return PlainProtocol.isYes(answer)
                ? request.granted(result)
                : Busy.of(
                        (Long) answer.get(1),
                        (String) answer.get(2),
                        null,
                        result.sentAt(),
                        (Long) answer.get(3),
                        (Long) answer.get(4) == 1);
    }

    @Override
    public CompletionStage<ReleaseResult> release(ReleaseRequest request) {
        List<String> args = List.of(
                request.owner(), Long.toString(request.highestDrawn()), Long.toString(request.keepMillis()), kind);
        return gateway.run(RELEASE, names(request.key()), args, PlainProtocol::released);
    }

    /** To lengthen one permit is to renew it. */
    @Override
    public CompletionStage<Boolean> extend(Grant grant, long ttlMillis) {
        return gateway.run(RENEW, renewed(grant), renewal(grant, ttlMillis)).thenApply(PlainProtocol::isYes);
    }

    @Override
    public Script renewal() {
        return RENEW;
    }

    @Override
    public String wakePrefix(String key) {
        return keys.wakePrefix(key);
    }

    /** Nobody is told there: Redisson's semaphores have other keys. */
    @Override
    public String channel(String key) {
        return keys.plainChannel(key);
    }
}
