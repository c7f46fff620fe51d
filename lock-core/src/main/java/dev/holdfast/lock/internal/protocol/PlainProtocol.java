package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.lease.KindTraits;
import dev.holdfast.lock.internal.waiting.Answer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The plain lock and the fair one: a hash of the owner, and a queue of places of those who wait. They differ in who has a place, a client or each of
 * its waiters, and in that a fair lock never passes over the first in the queue.
 *
 * <p>A semaphore is the same by other scripts, whose hash has a field for each permit that is held. How many permits there are is part of an owner's
 * id: Redis keeps no number that could be lost, or differ from what the program says.
 */
public final class PlainProtocol extends LockProtocol {

    private record Family(Script acquire, Script release, Script renew) {}

    private static final Family LOCK = new Family(Scripts.ACQUIRE, Scripts.RELEASE, Scripts.RENEW);
    private static final Family SEMAPHORE =
            new Family(Scripts.SEMAPHORE_ACQUIRE, Scripts.SEMAPHORE_RELEASE, Scripts.SEMAPHORE_RENEW);

    private final Family scripts;
    /** What the scripts call it; empty for the plain lock. */
    private final String kind;

    /** A length of time, and how it is sent. */
    private record Length(long millis, String text) {}

    private volatile @Nullable Length length;

    public PlainProtocol(RedisGateway gateway, LockKeys keys, int minReplicas, LockKind kind) {
        super(KindTraits.of(kind), gateway, keys, minReplicas);
        this.scripts = kind.isSemaphore() ? SEMAPHORE : LOCK;
        this.kind = switch (kind) {
            case FAIR -> "fair";
            case SEMAPHORE -> "semaphore";
            case FAIR_SEMAPHORE -> "fair-semaphore";
            default -> "";
        };
    }

    @Override
    public CompletionStage<Answer> acquire(AcquireRequest request) {
        return ask(scripts.acquire, keys.withTokenKey(List.of(request.key())), arguments(request), request);
    }

    /** What is usual is not sent: the plain kind, and a place whose client will soon hear messages. */
    private List<String> arguments(AcquireRequest request) {
        String owner = request.owner();
        String seen = Long.toString(request.highestDrawn());
        String ttl = decimal(request.terms().ttlMillis());
        if (!kind.isEmpty()) {
            return List.of(owner, seen, ttl, request.placeLifetime(), kind);
        }
        return request.placeLifetimeMillis() == AcquireRequest.USUAL_LIFETIME_MILLIS
                        && request.hearing() == AcquireRequest.Hearing.SOON
                ? List.of(owner, seen, ttl)
                : List.of(owner, seen, ttl, request.placeLifetime());
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

    @Override
    public CompletionStage<ReleaseResult> release(ReleaseRequest request) {
        String owner = request.owner();
        String seen = Long.toString(request.highestDrawn());
        List<String> args = kind.isEmpty() && request.keepMillis() == 0
                ? List.of(owner, seen)
                : kind.isEmpty()
                        ? List.of(owner, seen, Long.toString(request.keepMillis()))
                        : List.of(owner, seen, Long.toString(request.keepMillis()), kind);
        return gateway.run(scripts.release, keys.withTokenKey(List.of(request.key())), args, LockProtocol::released);
    }

    @Override
    public Script renewal() {
        return scripts.renew;
    }

    /** Redisson's fair lock notifies only the next in the queue. Its semaphores use other keys, so Redisson's clients do not hear of ours. */
    @Override
    public String channel(String key, String owner) {
        return kind.equals("fair") ? channel(key) + ":" + owner : channel(key);
    }
}
