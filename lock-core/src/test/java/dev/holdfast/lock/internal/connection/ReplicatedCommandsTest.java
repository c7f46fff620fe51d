package dev.holdfast.lock.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisReplication;
import dev.holdfast.lock.testing.VirtualClock;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** WAIT counts the replicas that have what its own connection wrote. On a connection that has written nothing since, they confirm too much. */
@Timeout(Await.TEST_SECONDS)
class ReplicatedCommandsTest {

    private static final ConnectionSettings SETTINGS = ConnectionSettings.forLease(Duration.ofSeconds(30));
    private static final Duration LIMIT = Await.PATIENCE;
    private static final Script WRITE = Script.of("write", "redis.call('set', KEYS[1], ARGV[1]) return {1}");

    private final VirtualClock clock = new VirtualClock();
    private final Timer timer = Timer.on(clock.scheduler(), clock);

    @Test
    void replicasAreAwaitedOnTheConnectionThatWroteEvenIfItWasReplacedSince() {
        try (RedisReplication redis = RedisReplication.start(1)) {
            RedisClient client = RedisClient.create(redis.master().uri());
            Queue<StatefulRedisConnection<String, String>> connections =
                    new ConcurrentLinkedQueue<>(List.of(client.connect(), client.connect(), client.connect()));
            // Each was opened, and the replica has all, before the write: Redis counts a connection's last command, not
            // only its writes.
            connections.forEach(connection -> connection.sync().ping());
            redis.master().cli().set("before", "1");
            redis.master().cli().waitForReplication(1, LIMIT.toMillis());
            try (LettuceGateway gateway = new LettuceGateway(
                    new Prepared(connections),
                    new KeySlots(true),
                    SETTINGS,
                    timer,
                    System::nanoTime,
                    Background.SYSTEM)) {
                gateway.attempted().join();
                ReconnectingConnection<?> link = gateway.replicated.links.any;
                link.connection().toCompletableFuture().join();
                redis.replicas().get(0).pause();

                CompletableFuture<List<Object>> call = gateway.runReplicated(
                        WRITE,
                        List.of("written"),
                        List.of("1"),
                        1,
                        answer -> {
                            replace(link);
                            return true;
                        },
                        ScriptResult::values);

                assertThat(call)
                        .failsWithin(LIMIT)
                        .withThrowableThat()
                        .withMessageContaining("only 0 of 1 replicas confirmed");
            } finally {
                redis.replicas().get(0).resume();
                client.shutdown();
            }
        }
    }

    /** A master whose connections are open before they are needed. */
    private record Prepared(Queue<StatefulRedisConnection<String, String>> connections) implements RedisTopology {

        @Override
        public StatefulRedisConnection<String, String> openCommands(@Nullable RedisURI node) {
            return connections.remove();
        }

        @Override
        public StatefulRedisPubSubConnection<String, String> openSignals(@Nullable RedisURI node) {
            throw new UnsupportedOperationException();
        }
    }

    private void replace(ReconnectingConnection<?> link) {
        Object before = link.currentOrNull();
        link.replace();
        clock.advance(SETTINGS.reconnectDelay());
        Await.until("the connection is replaced", LIMIT, () -> link.currentOrNull() != before);
    }
}
