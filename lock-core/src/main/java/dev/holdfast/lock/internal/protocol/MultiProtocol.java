package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.connection.ScriptResult;
import dev.holdfast.lock.internal.lease.Grant;
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

    /** Several locks are never granted by a release, so nothing needs to know which numbers were drawn before. */
    private static final long NOT_NAMED = Long.MAX_VALUE;

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
    public CompletionStage<Reply> acquire(Question question) {
        List<String> names = new ArrayList<>(locks.size() + 1);
        names.add(keys.tokenKey(locks.get(0)));
        names.addAll(locks);
        List<String> args = List.of(
                question.owner(),
                Long.toString(question.terms().ttlMillis()),
                Long.toString(question.highestDrawn()),
                Long.toString(question.patienceMillis()));
        return gateway.runReplicated(ACQUIRE, names, args, minReplicas, PlainProtocol::isYes)
                .thenApply(MultiProtocol::reply);
    }

    private static Reply reply(ScriptResult acquisition) {
        List<Object> answer = acquisition.values();
        long sentAt = acquisition.sentAt();
        return PlainProtocol.isYes(answer)
                ? new Reply.Granted((Long) answer.get(1), sentAt, Reply.Granted.AS_ASKED)
                : new Reply.Busy(
                        (Long) answer.get(1), (String) answer.get(2), (String) answer.get(3), sentAt, NOT_NAMED, true);
    }

    @Override
    public CompletionStage<Released> release(Release release) {
        List<String> names = new ArrayList<>(locks.size() + 1);
        names.add(keys.tokenKey(locks.get(0)));
        names.addAll(locks);
        List<String> args = new ArrayList<>(locks.size() + 5);
        args.add(release.owner());
        args.add(Long.toString(release.keepMillis()));
        args.add(keys.clusterFlag());
        args.add(keys.wakePrefix(locks.get(0)));
        args.add(Long.toString(release.highestDrawn()));
        locks.forEach(lock -> args.add(keys.plainChannel(lock)));
        return gateway.run(RELEASE, names, args).thenApply(PlainProtocol::released);
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
