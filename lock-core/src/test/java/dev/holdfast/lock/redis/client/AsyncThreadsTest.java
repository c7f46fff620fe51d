package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** On one or two processors CompletableFuture runs each asynchronous stage on a new thread, if it is not told otherwise. */
@Timeout(30)
class AsyncThreadsTest {

    private final RedisServer server = RedisServer.shared();
    private final String name = "async-threads-" + UUID.randomUUID() + "-";

    @Test
    void manyAcquisitionsAndReleasesDoNotStartAThreadEach() {
        try (LockClient client = Waits.client(server).build()) {
            client.getLock(name).acquire().close();
            long before = ManagementFactory.getThreadMXBean().getTotalStartedThreadCount();

            List<CompletableFuture<Void>> holds = IntStream.range(0, 500)
                    .mapToObj(i -> client.getLock(name + i)
                            .acquireAsync(AcquireOptions.defaults())
                            .thenCompose(Lease::releaseAsync)
                            .toCompletableFuture())
                    .toList();
            holds.forEach(CompletableFuture::join);

            assertThat(ManagementFactory.getThreadMXBean().getTotalStartedThreadCount() - before)
                    .as("threads started")
                    .isLessThan(100);
        }
    }
}
