package dev.holdfast.lock.redis;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.testing.Await;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/** Two clients on one Redis, names that nobody else uses, and a look at the keys from outside. */
final class Stage implements AutoCloseable {

    static final String PREFIX = "lock:";

    /** Long enough that a stalled machine loses no lease, short enough for a test to see a renewal. */
    static final Duration WATCHDOG = Duration.ofSeconds(2);

    /** More than anything here takes; what is not there by then never comes. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    private final String random = UUID.randomUUID().toString().substring(0, 8);
    private final AtomicInteger names = new AtomicInteger();
    private final Topology topology;
    private final LockClient here;
    private final LockClient there;

    Stage(Topology topology) {
        this.topology = topology;
        this.here = client().build();
        this.there = client().build();
    }

    RedisLockClientBuilder client() {
        return RedisLockClient.builder(topology.source().get())
                .checkAtStart(false)
                .keyPrefix(PREFIX)
                .watchdogTimeout(WATCHDOG);
    }

    /** One application's client. */
    LockClient here() {
        return here;
    }

    /** Another application's. */
    LockClient there() {
        return there;
    }

    LeaseLock here(String name) {
        return here.lock(name);
    }

    LeaseLock there(String name) {
        return there.lock(name);
    }

    String name() {
        return random + "-" + names.incrementAndGet();
    }

    RedisCommands<String, String> cli(String name) {
        return topology.serverOf().apply(PREFIX + name).cli();
    }

    boolean isInRedis(String name) {
        return cli(name).exists(PREFIX + name) == 1;
    }

    long pttl(String name) {
        return cli(name).pttl(PREFIX + name);
    }

    /** What an operator or a failover may do to a lock. */
    void loseKey(String name) {
        cli(name).del(PREFIX + name);
    }

    static void awaitWaiters(LockClient client, String name, int count) {
        Await.until(
                count + " wait for " + name,
                PATIENCE,
                () -> client.inspect(name).map(LockState::waitersHere).orElse(0) == count);
    }

    void awaitFree(String name) {
        Await.until(name + " is free", PATIENCE, () -> !isInRedis(name));
    }

    @Override
    public void close() {
        here.close();
        there.close();
        topology.close();
    }
}
