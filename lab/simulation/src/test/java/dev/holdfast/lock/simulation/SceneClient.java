package dev.holdfast.lock.simulation;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.event.EventPublisher;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTable;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.test.memory.MemoryGateway;
import dev.holdfast.lock.test.memory.MemoryRedis;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** A client of a {@link Scene} whose Redis is in memory, behind a connection that answers on a thread of its own, in order, as Lettuce does. */
final class SceneClient implements RedisGateway.Opener, AutoCloseable {

    final SceneClock clock;
    private final MemoryRedis server;
    private final Executor connection;
    private final RedisLockClient client;
    private @Nullable LeaseTable leases;

    /** Creates a client with a server of its own. */
    SceneClient() {
        this(Executors.newSingleThreadExecutor());
    }

    /** Creates a client with a server of its own, and what answers its commands. */
    SceneClient(Executor connection) {
        this(new SceneClock(), null, connection);
    }

    private SceneClient(SceneClock clock, @Nullable MemoryRedis present, Executor connection) {
        this.clock = clock;
        this.connection = connection;
        this.server = present == null ? new MemoryRedis(clock, Instant.EPOCH, this::deliver) : present;
        this.client = RedisLockClient.builder(RedisSource.simulated(this))
                .clientName("scene")
                // Scenes do not last so long: who is not woken waits for ever.
                .pollInterval(Duration.ofMinutes(30))
                .checkAtStart(false)
                .clock(clock::now)
                .scheduler(clock)
                .callbackExecutor(Runnable::run)
                .buildStopped();
        client.start();
    }

    /** Creates another client of the same server. */
    SceneClient another() {
        return new SceneClient(clock, server, Executors.newSingleThreadExecutor());
    }

    private void deliver(Runnable message) {
        try {
            connection.execute(message);
        } catch (RejectedExecutionException closed) {
            // A client that has closed its connection hears nothing.
        }
    }

    @Override
    public RedisGateway open(ConnectionSettings settings, Timer timer, Ticker ticker) {
        return new MemoryGateway(
                server,
                new MemoryGateway.Traffic() {
                    @Override
                    public <T> CompletableFuture<T> send(
                            String command, List<String> keys, List<String> args, MemoryGateway.Command<T> execution) {
                        return CompletableFuture.supplyAsync(execution::execute, connection);
                    }
                },
                ticker);
    }

    @Override
    public void started(LeaseTable leases, EventPublisher events) {
        this.leases = leases;
    }

    LeaseLock lock() {
        return client.getLock("scene");
    }

    RedisLockClient client() {
        return client;
    }

    List<HeldLease> held() {
        return Objects.requireNonNull(leases).held().toList();
    }

    /** Ends the client and its connection. */
    @Override
    public void close() {
        client.close(Duration.ZERO);
        if (connection instanceof ExecutorService own) {
            own.shutdown();
        }
    }
}
