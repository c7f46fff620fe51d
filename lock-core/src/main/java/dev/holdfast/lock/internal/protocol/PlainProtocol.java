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
import org.jspecify.annotations.Nullable;

/**
 * The plain lock and the fair one: a hash of the owner, and a line of places of those who wait. They differ in who has a place, a client or each of
 * its waiters, and in that a fair lock never passes over the first in line.
 */
public final class PlainProtocol implements LockProtocol {

    static final Script RENEW = Script.load(PlainProtocol.class, "renew");
    private static final Script ACQUIRE = Script.load(PlainProtocol.class, "acquire");
    private static final Script EXTEND = Script.load(PlainProtocol.class, "extend");
    private static final Script RELEASE = Script.load(PlainProtocol.class, "release");

    private static final long NOT_THE_OWNERS = -2;
    private static final long NOBODY_COULD_BE_TOLD = -1;
    /** For how long the script takes a waiter's place for alive where the question does not say. */
    private static final long USUAL_PATIENCE_MILLIS = 5_000;

    private final RedisGateway gateway;
    private final LockKeys keys;
    private final int minReplicas;
    private final String kind;

    /** A length of time, and how it is sent. */
    private record Length(long millis, String text) {}

    private volatile @Nullable Length length;

    public PlainProtocol(RedisGateway gateway, LockKeys keys, int minReplicas, LockKind kind) {
        this.gateway = gateway;
        this.keys = keys;
        this.minReplicas = minReplicas;
        this.kind = kind == LockKind.FAIR ? "fair" : "";
    }

    @Override
    public CompletionStage<Answer> acquire(AcquireRequest request) {
        return gateway.runReplicated(
                ACQUIRE,
                names(request.key()),
                arguments(request),
                minReplicas,
                PlainProtocol::isYes,
                result -> answer(request, result));
    }

    /** What every script of a lock knows by itself is not sent: the line's keys follow from the lock's, and without slots there is one token key. */
    private List<String> names(String key) {
        return keys.isCluster() ? List.of(key, keys.tokenKey(key)) : List.of(key);
    }

    private List<String> arguments(AcquireRequest request) {
        String owner = request.owner();
        String ttl = decimal(request.terms().ttlMillis());
        String seen = Long.toString(request.highestDrawn());
        long patience = request.patienceMillis();
        if (!kind.isEmpty()) {
            return List.of(owner, ttl, seen, Long.toString(patience), kind);
        }
        return patience == USUAL_PATIENCE_MILLIS
                ? List.of(owner, ttl, seen)
                : List.of(owner, ttl, seen, Long.toString(patience));
    }

    /** Nearly all leases of a client have one length. */
    private String decimal(long millis) {
        Length usual = length;
        if (usual == null || usual.millis != millis) {
            usual = new Length(millis, Long.toString(millis));
            length = usual;
        }
        return usual.text;
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

    /** A token, too, is a yes. */
    public static boolean isYes(List<Object> answer) {
        return ((Long) answer.get(0)) != 0;
    }

    @Override
    public CompletionStage<ReleaseResult> release(ReleaseRequest request) {
        String owner = request.owner();
        String seen = Long.toString(request.highestDrawn());
        List<String> args = kind.isEmpty() && request.keepMillis() == 0
                ? List.of(owner, seen)
                : kind.isEmpty()
                        ? List.of(owner, seen, Long.toString(request.keepMillis()))
                        : List.of(owner, seen, Long.toString(request.keepMillis()), kind);
        return gateway.run(RELEASE, names(request.key()), args, PlainProtocol::released);
    }

    static ReleaseResult released(ScriptResult result) {
        long heard = (Long) result.values().get(0);
        return new ReleaseResult(heard != NOT_THE_OWNERS, heard != NOBODY_COULD_BE_TOLD);
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
