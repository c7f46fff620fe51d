package dev.holdfast.lock.redis;

import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.Script;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The fair lock: the plain lock's hash, and beside it a queue of owners in order of arrival, each with a deadline that a waiter who lives
 * moves on by asking again. A release tells the first of them and nobody else, so every waiter has a channel of its own.
 */
final class FairProtocol implements LockProtocol {

    /** For how long a waiter that is not heard of is taken for alive: what a dead head costs those behind it. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Script ACQUIRE = Script.load(FairProtocol.class, "fair-acquire");
    private static final Script RELEASE = Script.load(FairProtocol.class, "fair-release");

    private final RedisGateway gateway;
    private final LockKeys keys;
    private final int minReplicas;
    private final LockProtocol plain;

    FairProtocol(RedisGateway gateway, LockKeys keys, int minReplicas) {
        this.gateway = gateway;
        this.keys = keys;
        this.minReplicas = minReplicas;
        this.plain = new PlainProtocol(gateway, keys, minReplicas);
    }

    @Override
    public CompletionStage<Reply> acquire(Question question) {
        String key = question.key();
        List<String> names = List.of(key, keys.tokenKey(key), keys.fairQueue(key), keys.fairDeadlines(key));
        List<String> args = List.of(
                question.owner(),
                Long.toString(question.terms().ttlMillis()),
                Long.toString(question.highestDrawn()),
                Long.toString(question.waits() ? PATIENCE.toMillis() : 0));
        return gateway.runReplicated(ACQUIRE, names, args, minReplicas, PlainProtocol::isYes)
                .thenApply(PlainProtocol::reply);
    }

    /** Releases the lock, or leaves the queue, whichever it is that the owner has. */
    @Override
    public CompletionStage<Released> release(String key, String owner, long keepMillis) {
        List<String> names = List.of(key, keys.fairQueue(key), keys.fairDeadlines(key));
        List<String> args = List.of(owner, Long.toString(keepMillis), channel(key), keys.clusterFlag());
        return gateway.run(RELEASE, names, args).thenApply(PlainProtocol::released);
    }

    @Override
    public CompletionStage<Boolean> extend(String key, String owner, long ttlMillis) {
        return plain.extend(key, owner, ttlMillis);
    }

    @Override
    public Script renewal() {
        return plain.renewal();
    }

    @Override
    public String channel(String key) {
        return plain.channel(key);
    }

    /** Where an owner is told that it is next. */
    @Override
    public List<String> channels(String key, String owner) {
        return List.of(channel(key) + ":" + owner);
    }
}
