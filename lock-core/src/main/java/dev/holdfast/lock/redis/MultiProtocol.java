package dev.holdfast.lock.redis;

import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.connection.ScriptResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Several plain locks of one slot under one owner: all of them or none, by one script. Each key is what {@link PlainProtocol} would make of it,
 * so a holder of one of them alone is excluded and excludes.
 */
final class MultiProtocol implements LockProtocol {

    private static final Script ACQUIRE = Script.load(MultiProtocol.class, "multi-acquire");
    private static final Script EXTEND = Script.load(MultiProtocol.class, "multi-extend");
    private static final Script RELEASE = Script.load(MultiProtocol.class, "multi-release");
    private static final Script RENEW = Script.load(MultiProtocol.class, "renew");

    private final List<String> locks;
    private final RedisGateway gateway;
    private final LockKeys keys;
    private final int minReplicas;

    MultiProtocol(List<String> locks, RedisGateway gateway, LockKeys keys, int minReplicas) {
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
                question.owner(), Long.toString(question.terms().ttlMillis()), Long.toString(question.highestDrawn()));
        return gateway.runReplicated(ACQUIRE, names, args, minReplicas, PlainProtocol::isYes)
                .thenApply(MultiProtocol::reply);
    }

    private static Reply reply(ScriptResult acquisition) {
        List<Object> answer = acquisition.values();
        return PlainProtocol.isYes(answer)
                ? PlainProtocol.reply(acquisition)
                : new Reply.Busy((Long) answer.get(1), (String) answer.get(2), (String) answer.get(3));
    }

    @Override
    public CompletionStage<Released> release(String key, String owner, long keepMillis) {
        List<String> args = new ArrayList<>(locks.size() + 3);
        args.add(owner);
        args.add(Long.toString(keepMillis));
        args.add(keys.clusterFlag());
        args.addAll(channels(key));
        return gateway.run(RELEASE, locks, args).thenApply(PlainProtocol::released);
    }

    @Override
    public CompletionStage<Boolean> extend(String key, String owner, long ttlMillis) {
        return gateway.run(EXTEND, locks, List.of(owner, Long.toString(ttlMillis)))
                .thenApply(PlainProtocol::isYes);
    }

    @Override
    public Script renewal() {
        return RENEW;
    }

    @Override
    public String channel(String key) {
        return keys.plainChannel(locks.get(0));
    }

    @Override
    public List<String> channels(String key) {
        return locks.stream().map(keys::plainChannel).toList();
    }

    @Override
    public boolean hasParts() {
        return true;
    }
}
