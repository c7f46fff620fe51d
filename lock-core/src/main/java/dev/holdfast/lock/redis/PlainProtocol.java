package dev.holdfast.lock.redis;

import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.connection.ScriptResult;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The re-entrant lock: a hash of owner and hold count, as {@code docs/protocol.md} states it. */
final class PlainProtocol implements LockProtocol {

    private static final Script ACQUIRE = Script.load(PlainProtocol.class, "acquire");
    private static final Script EXTEND = Script.load(PlainProtocol.class, "extend");
    private static final Script RELEASE = Script.load(PlainProtocol.class, "release");
    private static final Script RENEW = Script.load(PlainProtocol.class, "renew");

    private final RedisGateway gateway;
    private final LockKeys keys;
    private final int minReplicas;

    PlainProtocol(RedisGateway gateway, LockKeys keys, int minReplicas) {
        this.gateway = gateway;
        this.keys = keys;
        this.minReplicas = minReplicas;
    }

    @Override
    public CompletionStage<Reply> acquire(Question question) {
        List<String> names = List.of(question.key(), keys.tokenKey(question.key()));
        List<String> args = List.of(
                question.owner(), Long.toString(question.terms().ttlMillis()), Long.toString(question.highestDrawn()));
        return gateway.runReplicated(ACQUIRE, names, args, minReplicas, PlainProtocol::isYes)
                .thenApply(PlainProtocol::reply);
    }

    static Reply reply(ScriptResult acquisition) {
        List<Object> answer = acquisition.values();
        return isYes(answer)
                ? new Reply.Granted((Long) answer.get(1), acquisition.sentAt())
                : new Reply.Busy((Long) answer.get(1), (String) answer.get(2));
    }

    static boolean isYes(List<Object> answer) {
        return ((Long) answer.get(0)) == 1;
    }

    @Override
    public CompletionStage<Released> release(String key, String owner, long keepMillis) {
        List<String> args = List.of(owner, Long.toString(keepMillis), channel(key), keys.clusterFlag());
        return gateway.run(RELEASE, List.of(key), args).thenApply(PlainProtocol::released);
    }

    static Released released(List<Object> answer) {
        return new Released(isYes(answer), (Long) answer.get(1));
    }

    @Override
    public CompletionStage<Boolean> extend(String key, String owner, long ttlMillis) {
        List<String> args = List.of(owner, Long.toString(ttlMillis));
        return gateway.run(EXTEND, List.of(key), args).thenApply(PlainProtocol::isYes);
    }

    @Override
    public Script renewal() {
        return RENEW;
    }

    @Override
    public String channel(String key) {
        return keys.plainChannel(key);
    }
}
