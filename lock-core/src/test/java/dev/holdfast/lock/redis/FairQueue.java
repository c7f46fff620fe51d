package dev.holdfast.lock.redis;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** One fair lock, and its queue as Redis has it. */
record FairQueue(RedisServer server, String name) {

    FairQueue(RedisServer server) {
        this(server, Waits.name("fair"));
    }

    String list() {
        return "redisson_lock_queue:{" + name + "}";
    }

    String deadlines() {
        return "redisson_lock_timeout:{" + name + "}";
    }

    /** The owners' ids, the next one first. */
    List<String> owners() {
        return server.cli().lrange(list(), 0, -1);
    }

    void awaitLength(long length) {
        Await.until(length + " wait in Redis", Waits.LONG, () -> server.cli().llen(list()) == length);
    }

    /** Waits until all have said that they hear: a place that has not may be granted to without a listener for 200 ms. */
    void awaitHearing() {
        Await.until(
                "all have asked since they listen",
                Waits.LONG,
                () -> server.cli().zrangeWithScores(deadlines(), 0, -1).stream()
                        .allMatch(place -> place.getScore() % 1 == 0));
    }

    boolean isGone() {
        return server.cli().exists(list(), deadlines()) == 0;
    }

    void awaitGone() {
        Await.until("the queue has gone", Waits.LONG, this::isGone);
    }

    /** What is left of an owner's deadline. */
    long millisLeft(String owner) {
        return server.cli().zscore(deadlines(), owner).longValue() - now();
    }

    /** As a release does that a Redisson client has heard. */
    void leaveToRedisson() {
        server.cli().zadd(deadlines(), now() + 5, "redisson");
    }

    /** By the server's clock. */
    long now() {
        List<String> time = server.cli().time();
        return Long.parseLong(time.get(0)) * 1000 + Long.parseLong(time.get(1)) / 1000;
    }

    /** A waiter that nobody will hear of again. */
    void plant(String owner, Duration left) {
        server.cli().rpush(list(), owner);
        server.cli().zadd(deadlines(), now() + left.toMillis(), owner);
    }

    /** The same for many, at one moment: one by one takes seconds on a busy machine. */
    void plantAll(List<String> owners, Duration left) {
        double deadline = now() + left.toMillis();
        server.cli().rpush(list(), owners.toArray(String[]::new));
        Object[] scored =
                owners.stream().flatMap(owner -> Stream.of(deadline, owner)).toArray();
        server.cli().zadd(deadlines(), scored);
    }

    LeaseLock lock(LockClient client) {
        return client.getLock(name, LockKind.FAIR);
    }

    Lease held(LockClient client) {
        return lock(client).acquire(Waits.waiting(Waits.LONG));
    }

    CompletableFuture<Lease> wanted(LockClient client, AcquireOptions options) {
        return lock(client).acquireAsync(options).toCompletableFuture();
    }

    /** Waits until it is the queue's last. */
    CompletableFuture<Lease> queued(LockClient client) {
        long before = owners().size();
        CompletableFuture<Lease> wanted = wanted(client, Waits.waiting(Waits.LONG));
        awaitLength(before + 1);
        return wanted;
    }
}
