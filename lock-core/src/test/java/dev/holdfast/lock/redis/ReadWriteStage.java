package dev.holdfast.lock.redis;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.connection.RedisSource;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** One read/write lock that nobody else uses, and two clients that do. */
final class ReadWriteStage implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(10);
    static final Duration WATCHDOG = Duration.ofSeconds(2);

    final RedisServer server = RedisServer.shared();
    final String name = "read-write-" + UUID.randomUUID();
    final LockClient here = client().build();
    final LockClient there = client().build();

    /** Two minutes' poll: whoever wakes earlier was woken, or waited for an end that it knew. */
    RedisLockClientBuilder client() {
        return RedisLockClient.builder(RedisSource.of(server.uri()))
                .checkAtStart(false)
                .pollInterval(Duration.ofMinutes(2))
                .watchdogTimeout(WATCHDOG);
    }

    LeaseLock readHere() {
        return here.lock(name, LockKind.READ);
    }

    LeaseLock writeHere() {
        return here.lock(name, LockKind.WRITE);
    }

    LeaseLock readThere() {
        return there.lock(name, LockKind.READ);
    }

    LeaseLock writeThere() {
        return there.lock(name, LockKind.WRITE);
    }

    /** Has the actor wait for the lock, and comes back when it does. */
    CompletableFuture<Boolean> waits(Actor actor, LockClient client, LockKind kind) {
        int before = waiters(client);
        CompletableFuture<Boolean> granted =
                actor.begins(() -> client.lock(name, kind).tryLock(Duration.ofMinutes(1)));
        Await.until(kind + " waits", PATIENCE, () -> waiters(client) == before + 1);
        // By its second question it listens.
        String channel = "redisson_rwlock:{" + name + "}";
        Await.until(
                "somebody listens",
                PATIENCE,
                () -> server.cli().pubsubNumsub(channel).get(channel) > 0);
        return granted;
    }

    int waiters(LockClient client) {
        return client.inspect(name).map(LockState::waitersHere).orElse(0);
    }

    boolean isMarked() {
        return server.cli().exists("holdfast:writer:{" + name + "}") == 1;
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
