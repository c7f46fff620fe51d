package dev.holdfast.lock.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.background.Threads;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.VirtualClock;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The connections to the masters of a cluster, on a clock that the test moves. */
@Timeout(Await.TEST_SECONDS)
class ServerLinksTest {

    private static final ConnectionSettings SETTINGS = ConnectionSettings.forLease(Duration.ofSeconds(30));
    private static final RedisURI SERVED = RedisServer.shared().uri();
    /** Nobody listens there. */
    private static final RedisURI MISSING = RedisURI.create("127.0.0.1", 1);

    private final VirtualClock clock = new VirtualClock();
    private final RedisClient client = RedisClient.create();
    private final ExecutorService threads = Threads.oneForEach("test", Thread::new);
    private final List<RedisURI> masters = new CopyOnWriteArrayList<>(List.of(SERVED, MISSING));
    private final Queue<RedisURI> attempts = new ConcurrentLinkedQueue<>();
    private final ServerLinks<StatefulRedisConnection<String, String>> links = new ServerLinks<>(
            "test",
            new ConnectionOpener(new Masters(), Timer.on(clock.scheduler(), clock), threads, SETTINGS),
            node -> () -> new Masters().openCommands(node),
            new AtomicLong(),
            (node, connection) -> {});

    /** Each key is the address of its master. */
    private final class Masters implements RedisTopology {

        @Override
        public StatefulRedisConnection<String, String> openCommands(@Nullable RedisURI node) {
            if (node == null) {
                throw new RedisConnectionException("every key has a master");
            }
            attempts.add(node);
            return client.connect(StringCodec.UTF8, node);
        }

        @Override
        public StatefulRedisPubSubConnection<String, String> openSignals(@Nullable RedisURI node) {
            throw new UnsupportedOperationException();
        }

        @Override
        public RedisURI ownerOf(String key) {
            return RedisURI.create(key);
        }

        @Override
        public List<RedisURI> masters() {
            return masters;
        }
    }

    @AfterEach
    void close() {
        links.close();
        threads.shutdown();
        client.shutdown();
    }

    private ReconnectingConnection<StatefulRedisConnection<String, String>> to(RedisURI master) {
        return links.to(master.toURI().toString());
    }

    @Test
    void eachMasterHasOneConnectionOnceItIsNeeded() {
        ReconnectingConnection<?> link = to(SERVED);
        assertThat(attempts).isEmpty();

        assertThat(link.connection().toCompletableFuture()).succeedsWithin(Await.PATIENCE);

        assertThat(to(SERVED)).isSameAs(link);
        assertThat(attempts).containsExactly(SERVED);
    }

    @Test
    void masterThatCannotBeReachedIsTriedAgainUntilItHasNoSlots() throws InterruptedException {
        ReconnectingConnection<?> link = to(MISSING);
        link.open();
        awaitWhileTimePasses("it is tried again", () -> attempts.size() > 2);
        assertThat(to(MISSING)).isSameAs(link);

        masters.remove(MISSING);

        awaitWhileTimePasses("it is forgotten", () -> to(MISSING) != link);
        int before = attempts.size();
        clock.advance(Duration.ofMinutes(1));
        threads.shutdown();
        assertThat(threads.awaitTermination(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        assertThat(attempts).hasSize(before);
    }

    private void awaitWhileTimePasses(String what, BooleanSupplier condition) {
        Await.until(what, Await.PATIENCE, () -> {
            clock.advance(SETTINGS.reconnectDelay());
            return condition.getAsBoolean();
        });
    }
}
