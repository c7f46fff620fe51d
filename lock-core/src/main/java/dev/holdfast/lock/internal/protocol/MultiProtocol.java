package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.connection.ScriptResult;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.waiting.Answer;
import dev.holdfast.lock.internal.waiting.Answer.Busy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Several plain locks of one slot under one owner: all of them or none, by one script. Each key is what {@link PlainProtocol} would make of it,
 * so a holder of one of them alone is excluded and excludes.
 */
public final class MultiProtocol implements LockProtocol {

    private static final Script ACQUIRE = Script.load(MultiProtocol.class, "multi-acquire");
    private static final Script EXTEND = Script.load(MultiProtocol.class, "multi-extend");
    private static final Script RELEASE = Script.load(MultiProtocol.class, "multi-release");

    private final List<String> locks;
    private final RedisGateway gateway;
    private final LockKeys keys;
    private final int minReplicas;

    public MultiProtocol(List<String> locks, RedisGateway gateway, LockKeys keys, int minReplicas) {
        this.locks = List.copyOf(locks);
        this.gateway = gateway;
        this.keys = keys;
        this.minReplicas = minReplicas;
    }

    @Override
    public CompletionStage<Answer> acquire(AcquireRequest request) {
        List<String> names = new ArrayList<>(locks.size() + 1);
        names.add(keys.tokenKey(locks.get(0)));
        names.addAll(locks);
        List<String> args = List.of(
                request.owner(),
                Long.toString(request.terms().ttlMillis()),
                Long.toString(request.highestDrawn()),
                Long.toString(request.patienceMillis()));
        return gateway.runReplicated(
                ACQUIRE, names, args, minReplicas, PlainProtocol::isYes, result -> answer(request, result));
    }

    private static Answer answer(AcquireRequest request, ScriptResult result) {
        List<Object> answer = result.values();
        return PlainProtocol.isYes(answer)
                ? request.granted(result)
                : Busy.of(
                        (Long) answer.get(1),
                        (String) answer.get(2),
                        (String) answer.get(3),
                        result.sentAt(),
                        Busy.NOT_TOLD,
                        true);
    }

    @Override
    public CompletionStage<ReleaseResult> release(ReleaseRequest request) {
        List<String> names = new ArrayList<>(locks.size() + 1);
        names.add(keys.tokenKey(locks.get(0)));
        names.addAll(locks);
        List<String> args = new ArrayList<>(locks.size() + 5);
        args.add(request.owner());
        args.add(Long.toString(request.keepMillis()));
        args.add(keys.clusterFlag());
        args.add(keys.wakePrefix(locks.get(0)));
        args.add(Long.toString(request.highestDrawn()));
        locks.forEach(lock -> args.add(keys.plainChannel(lock)));
        return gateway.run(RELEASE, names, args).thenApply(PlainProtocol::result);
    }

    @Override
    public CompletionStage<Boolean> extend(Grant grant, long ttlMillis) {
        return gateway.run(
                        EXTEND,
                        locks,
                        List.of(grant.owner(), Long.toString(ttlMillis), Long.toString(grant.firstToken())))
                .thenApply(PlainProtocol::isYes);
    }

    @Override
    public Script renewal() {
        return PlainProtocol.RENEW;
    }

    @Override
    public String wakePrefix(String key) {
        return keys.wakePrefix(locks.get(0));
    }

    @Override
    public String channel(String key) {
        return keys.plainChannel(key);
    }

    @Override
    public boolean hasParts() {
        return true;
    }
}
