package dev.holdfast.lock.redis;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** One read/write lock that nobody else uses, and two clients that do. */
final class ReadWriteStage implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(10);

    /** A waiter asks again at the end of the lease that it waits for, too. */
    static final Duration WATCHDOG = Duration.ofSeconds(30);

    /** For what a renewal must show. */
    static final Duration BRIEF = Duration.ofSeconds(2);

    final RedisServer server = RedisServer.shared();
    final String name = "read-write-" + UUID.randomUUID();
    final LockClient here = client().build();
    final LockClient there = client().build();

    /**
     * Two minutes' poll: whoever wakes earlier was woken, or waited for an end that it knew. An hour for passing on: a busy machine needs more
     * than the default to set a scene.
     */
    RedisLockClientBuilder client() {
        return Waits.client(server)
                .pollInterval(Duration.ofMinutes(2))
                .handOver(32, Duration.ofHours(1))
                .watchdogTimeout(WATCHDOG);
    }

    LeaseLock readHere() {
        return here.getLock(name, LockKind.READ);
    }

    LeaseLock writeHere() {
        return here.getLock(name, LockKind.WRITE);
    }

    LeaseLock readThere() {
        return there.getLock(name, LockKind.READ);
    }

    LeaseLock writeThere() {
        return there.getLock(name, LockKind.WRITE);
    }

    private final Map<LockClient, List<CompletableFuture<Boolean>>> waiting = new HashMap<>();

    /** Has the actor wait for the lock, and comes back when it does. */
    CompletableFuture<Boolean> waits(Actor actor, LockClient client, LockKind kind) {
        List<CompletableFuture<Boolean>> all = waiting.computeIfAbsent(client, first -> new ArrayList<>());
        all.removeIf(CompletableFuture::isDone);
        CompletableFuture<Boolean> granted =
                actor.begins(() -> client.getLock(name, kind).tryLock(Duration.ofMinutes(1)));
        all.add(granted);
        // Not one more than before: whoever was just served is counted for a moment yet.
        Stage.awaitWaiters(client, name, all.size());
        // By its second question it listens.
        Await.until("somebody in line listens", PATIENCE, () -> isListening(""));
        return granted;
    }

    /** Whether a writer waits in line whose client listens. */
    boolean isMarked() {
        return isListening(":write");
    }

    private boolean isListening(String end) {
        return server.cli().lrange(line(), 0, -1).stream()
                .filter(place -> place.endsWith(end))
                .map(place -> "holdfast:wake:" + place.substring(0, place.indexOf(':')))
                .anyMatch(channel -> server.cli().pubsubNumsub(channel).get(channel) > 0);
    }

    /** The places of those who wait. */
    String line() {
        return "redisson_lock_queue:{" + name + "}";
    }

    void awaitMark() {
        Await.until("a waiting writer has left its mark", PATIENCE, this::isMarked);
    }

    /** Everything of the lock that is in Redis, but for the tokens' key. */
    List<String> keys() {
        return server.cli().keys("*" + name + "*");
    }

    void awaitNothingLeft() {
        Await.until("nothing is left", PATIENCE, () -> keys().isEmpty());
    }

    @Override
    public void close() {
        here.close();
        there.close();
    }
}
