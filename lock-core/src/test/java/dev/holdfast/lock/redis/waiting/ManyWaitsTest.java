package dev.holdfast.lock.redis.waiting;

import static dev.holdfast.lock.redis.fixture.Waits.name;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisServer;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The waits are so long that it decides nothing how long thousands of requests take on a busy machine. */
@Timeout(Await.TEST_SECONDS)
class ManyWaitsTest {

    private static final Duration LIMIT = Duration.ofSeconds(100);
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final RedisServer server = RedisServer.start();
    private final LockClient holder = Waits.client(server).build();
    private final LockClient client =
            Waits.client(server).pollInterval(Duration.ofMinutes(1)).build();

    @AfterEach
    void close() {
        client.close();
        holder.close();
        server.close();
    }

    @Test
    void oneClientWaitsForThousandsOfNamesWithOneSubscriptionAndIsWokenForEach() {
        int count = Nightly.Night.isOn() ? 5_000 : 1_000;
        List<String> names =
                IntStream.range(0, count).mapToObj(i -> name("many")).toList();
        List<Lease> held = all(names.stream().map(name -> wanted(holder, name)).toList());
        List<CompletableFuture<Lease>> waiting =
                names.stream().map(name -> wanted(client, name)).toList();
        Await.until("all are in the queue", LIMIT, () -> server.cli().dbsize() >= 3L * count);
        Await.until("the client listens, for all of them at once", LIMIT, () -> channels() == 1);

        CompletableFuture<?>[] released = held.stream()
                .map(lease -> lease.releaseAsync().toCompletableFuture())
                .toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(released).join();

        List<Lease> granted = all(waiting);
        // Not that all are held: on a slow machine the first leases of 3 s end while the last ones come.
        assertThat(granted).extracting(Lease::fencingToken).hasSize(count).doesNotHaveDuplicates();
        granted.forEach(Lease::releaseAsync);
    }

    private int channels() {
        return Integer.parseInt(server.info("stats").get("pubsub_channels"));
    }

    private static List<Lease> all(List<CompletableFuture<Lease>> futures) {
        return futures.stream().map(CompletableFuture::join).toList();
    }

    private static CompletableFuture<Lease> wanted(LockClient client, String name) {
        return client.getLock(name).acquireAsync(Waits.waiting(LIMIT)).toCompletableFuture();
    }

    @Test
    void waitingFuturesAndTheirEndCostNoThreadEach() {
        String name = name("futures");
        Lease first = wanted(holder, name).join();
        wanted(client, name("warm-up")).join().close();
        THREADS.resetPeakThreadCount();
        int before = THREADS.getThreadCount();
        List<CompletableFuture<Lease>> waiting = IntStream.range(0, Nightly.Night.isOn() ? 20_000 : 2_000)
                .mapToObj(i -> wanted(client, name))
                .toList();

        first.close();
        Lease second = waiting.get(0).join();
        client.close();

        assertThat(waiting)
                .allSatisfy(each -> each.handle((lease, failure) -> lease).join());
        assertThat(second.isHeld()).isFalse();
        assertThat(THREADS.getPeakThreadCount() - before).isLessThan(15);
    }
}
