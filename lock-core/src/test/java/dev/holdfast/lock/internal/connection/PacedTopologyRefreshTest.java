package dev.holdfast.lock.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.models.partitions.Partitions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A cluster of three nodes, one of which may be silent, refreshed every two seconds. */
class PacedTopologyRefreshTest {

    private static final Duration PERIOD = Duration.ofSeconds(2);

    private final RedisURI healthy = RedisURI.create("redis://127.0.0.1:1");
    private final RedisURI other = RedisURI.create("redis://127.0.0.1:2");
    private final RedisURI missing = RedisURI.create("redis://127.0.0.1:3");
    private final AtomicBoolean isMissing = new AtomicBoolean(true);
    private final AtomicLong clock = new AtomicLong();
    private final Map<RedisURI, Integer> asked = new HashMap<>();
    private final PacedTopologyRefresh refresh = new PacedTopologyRefresh(
            (seeds, timeout, discovery) -> {
                Map<RedisURI, Partitions> views = new HashMap<>();
                seeds.forEach(seed -> {
                    asked.merge(seed, 1, Integer::sum);
                    if (!seed.equals(missing) || !isMissing.get()) {
                        views.put(seed, new Partitions());
                    }
                });
                return CompletableFuture.completedFuture(views);
            },
            clock::get);

    private void refreshFor(Duration time) {
        for (long end = clock.get() + time.toNanos(); clock.get() < end; clock.addAndGet(PERIOD.toNanos())) {
            refresh.loadViews(List.of(healthy, other, missing), Duration.ofSeconds(1), true)
                    .toCompletableFuture()
                    .join();
        }
    }

    @Test
    void missingNodeIsAskedAFewTimesAndTheOthersEachTime() {
        refreshFor(Duration.ofSeconds(40));

        assertThat(asked).containsEntry(healthy, 20).containsEntry(other, 20);
        assertThat(asked.get(missing)).isLessThanOrEqualTo(4);
    }

    @Test
    void nodeThatIsBackIsAskedEachTimeAgain() {
        refreshFor(Duration.ofSeconds(40));
        isMissing.set(false);
        refreshFor(Duration.ofSeconds(64));
        asked.clear();

        refreshFor(Duration.ofSeconds(20));

        assertThat(asked).containsEntry(missing, 10);
    }
}
