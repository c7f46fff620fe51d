package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.reign.Grace;
import dev.holdfast.lock.internal.waiting.PollSchedule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The plain lock and the fair lock: a hash that contains the owner, and a queue of places. In the queue of a plain lock, each client has one place.
 * In the queue of a fair lock, each waiter has one, and a release never skips the first place.
 *
 * <p>A semaphore works in the same way, but with other scripts. Its hash has a field for each held permit. The number of permits is part of the owner
 * id, so Redis stores no number that could be lost or differ from the program's number.
 */
public final class PlainProtocol extends LockProtocol {

    /** The name of the kind in the scripts, which is empty for the plain lock. */
    private final String kind;

    /** A duration and its text for the scripts. */
    private record Length(long millis, String text) {}

    private volatile @Nullable Length length;

    public PlainProtocol(RedisGateway gateway, LockKeys keys, int minReplicas, LockKind kind, Grace grace) {
        super(kind, scripts(kind), gateway, keys, minReplicas, grace);
        this.kind = switch (kind) {
            case REENTRANT -> "";
            case FAIR -> "fair";
            case SEMAPHORE -> "semaphore";
            case FAIR_SEMAPHORE -> "fair-semaphore";
            case READ, WRITE -> throw new IllegalArgumentException("Unknown kind: " + kind);
        };
    }

    private static Family scripts(LockKind kind) {
        return kind.isSemaphore()
                ? new Family(
                        Scripts.Semaphores.ACQUIRE,
                        Scripts.Semaphores.RELEASE,
                        Scripts.Semaphores.RENEW,
                        Scripts.Semaphores.ASSERT)
                : new Family(Scripts.ACQUIRE, Scripts.RELEASE, Scripts.RENEW, Scripts.ASSERT);
    }

    /** The usual values are omitted: the plain kind, and a place whose client is about to subscribe. */
    @Override
    List<String> arguments(AcquireRequest request) {
        String owner = request.owner();
        String seen = Long.toString(request.highestDrawn());
        String ttl = decimal(request.terms().ttlMillis());
        if (asserts) {
            return List.of(owner, seen, ttl, request.placeLifetime(), kind, grace.argument());
        }
        if (!kind.isEmpty()) {
            return List.of(owner, seen, ttl, request.placeLifetime(), kind);
        }
        return request.placeLifetimeMillis() == PollSchedule.USUAL_LIFETIME_MILLIS
                        && request.hearing() == AcquireRequest.Hearing.SOON
                ? List.of(owner, seen, ttl)
                : List.of(owner, seen, ttl, request.placeLifetime());
    }

    /** Converts a duration to text. Reuses the last text, because nearly all leases of a client have the same length. */
    private String decimal(long millis) {
        Length usual = length;
        if (usual == null || usual.millis != millis) {
            usual = new Length(millis, Long.toString(millis));
            length = usual;
        }
        return usual.text;
    }

    @Override
    List<String> arguments(String owner, String seen, long keepMillis) {
        if (asserts) {
            return List.of(owner, seen, Long.toString(keepMillis), kind, grace.argument());
        }
        if (!kind.isEmpty()) {
            return List.of(owner, seen, Long.toString(keepMillis), kind);
        }
        return keepMillis == 0 ? List.of(owner, seen) : List.of(owner, seen, Long.toString(keepMillis));
    }

    @Override
    String kind() {
        return kind;
    }

    /**
     * Returns the channel on which an owner hears releases by Redisson's clients. For a fair lock, Redisson notifies only the next owner in the
     * queue. The semaphores of Redisson use other keys, so no Redisson client announces releases of these semaphores.
     */
    @Override
    public String channel(String key, String owner) {
        return kind.equals("fair") ? channel(key) + ":" + owner : channel(key);
    }
}
