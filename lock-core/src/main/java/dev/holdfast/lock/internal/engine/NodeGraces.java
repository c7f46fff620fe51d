package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.connection.Master;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.protocol.Scripts;
import dev.holdfast.lock.internal.reign.Grace;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * In a cluster, begins the grace in all slots of a master together. A script sees only the keys of one slot, so it cannot tell whether the rest of the
 * master's grace is over. Without this class, a slot would be closed for the whole grace when its first lock is requested, however late that is.
 *
 * <p>Clients share the work. Each begins at a random slot, and stops at slots in which the grace has begun. What nobody reaches begins its grace at its
 * first request, so an interrupted walk costs time but no exclusion.
 */
final class NodeGraces {

    /** The number of slots that are asked together. If the grace has begun in all of them, another client has come by. */
    private static final int TOGETHER = 100;

    private final RedisGateway gateway;
    private final LockKeys keys;
    private final Background background;
    private final Grace grace;
    private final AtomicBoolean walking = new AtomicBoolean();

    NodeGraces(RedisGateway gateway, LockKeys keys, Background background, Grace grace) {
        this.gateway = gateway;
        this.keys = keys;
        this.background = background;
        this.grace = grace;
    }

    /** Called when a master may have begun another reign. */
    void begin() {
        if (keys.isCluster() && walking.compareAndSet(false, true)) {
            gateway.masters()
                    .thenCompose(masters -> all(masters.stream().map(this::beginAt)))
                    .whenComplete((done, failure) -> walking.set(false));
        }
    }

    private CompletableFuture<Void> beginAt(Master master) {
        return master.slots()
                .thenCompose(own -> own.isEmpty()
                        ? CompletableFuture.completedFuture(null)
                        : walk(own, (int) background.random(0, Master.SLOTS)));
    }

    /** Begins the grace from one slot on, and behind the last slot from the first one on. */
    private CompletableFuture<Void> walk(BitSet left, int from) {
        int[] next = IntStream.concat(
                        left.stream().filter(slot -> slot >= from),
                        left.stream().filter(slot -> slot < from))
                .limit(TOGETHER)
                .toArray();
        List<CompletableFuture<Boolean>> begun =
                IntStream.of(next).mapToObj(this::beginIn).toList();
        return all(begun.stream()).thenCompose(done -> {
            for (int slot : next) {
                left.clear(slot);
            }
            return left.isEmpty() || begun.stream().noneMatch(CompletableFuture::join)
                    ? CompletableFuture.completedFuture(null)
                    : walk(left, next[next.length - 1]);
        });
    }

    private CompletableFuture<Boolean> beginIn(int slot) {
        return gateway.run(Scripts.BEGIN_GRACE, List.of(keys.tokenKey(slot)), List.of(grace.argument()))
                .thenApply(answer -> answer.contains(1L));
    }

    private static <T> CompletableFuture<Void> all(Stream<CompletableFuture<T>> parts) {
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new));
    }
}
