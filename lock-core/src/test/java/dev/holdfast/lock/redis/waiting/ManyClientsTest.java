package dev.holdfast.lock.redis.waiting;

import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.name;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.resource.ClientResources;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ManyClientsTest {

    /** As many as the build has time for; more with {@code -Pnightly}. */
    private static final int CLIENTS = Nightly.Night.isOn() ? 1_000 : 100;

    /** What they may leave: a connection's buffers alone would be more than ten times that. */
    private static final long MOST_BYTES = 6_000L * CLIENTS;

    private final RedisServer server = RedisServer.shared();

    @Test
    void manyClientsOnSharedResourcesLeaveTheHeapFlat() {
        ClientResources resources = ClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .build();
        RedisSource source = RedisSource.of(server.uri()).withResources(resources);
        open(CLIENTS / 5, source);
        long connections = Waits.connections(server);
        long heap = heap();

        open(CLIENTS, source);

        assertThat(heap() - heap).isLessThan(MOST_BYTES);
        Await.until("no connection is left", Await.PATIENCE, () -> Waits.connections(server) <= connections);
        resources.shutdown(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private static void open(int count, RedisSource source) {
        for (int i = 0; i < count; i++) {
            try (LockClient client = Waits.client(source).build()) {
                held(client, name("flat")).close();
            }
        }
    }

    private static long heap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
