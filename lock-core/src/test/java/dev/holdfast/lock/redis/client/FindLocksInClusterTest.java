package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.FoundLocks;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.ProxiedCluster;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisCluster;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Finds the locks of a cluster, behind one proxy for each node, also if a master does not answer. */
@Timeout(Await.TEST_SECONDS)
class FindLocksInClusterTest {

    private static final int HELD = 60;

    @AutoClose
    private static ProxiedCluster proxied;

    private static RedisCluster cluster;

    private final String prefix = Waits.name("fleet") + ":";
    private RedisClusterClient application;
    private LockClient client;
    /** A client on a clock that stands still, whose search has no end, however busy the machine is. */
    private LockClient timeless;

    private List<String> held;

    @BeforeAll
    static void start() {
        proxied = new ProxiedCluster();
        cluster = proxied.cluster();
    }

    @BeforeEach
    void hold() {
        application = proxied.client(ClusterTopologyRefreshOptions.create());
        client = client(System::nanoTime);
        timeless = client(() -> 0);
        // From here on the connections stand.
        Waits.get(client.connected().toCompletableFuture());
        Waits.get(timeless.connected().toCompletableFuture());
        timeless.findLocks();
        held = IntStream.range(0, HELD).mapToObj(i -> "lock-" + i).toList();
        held.forEach(name -> client.getLock(name).lock());
    }

    private LockClient client(LongSupplier clock) {
        return Waits.client(RedisSource.of(application, proxied.cluster().uris().get(0)))
                .keyPrefix(prefix)
                .clock(clock)
                .build();
    }

    @AfterEach
    void release() {
        proxied.heal();
        client.close();
        timeless.close();
        application.shutdown(0, 0, TimeUnit.SECONDS);
    }

    private RedisServer masterOf(String name) {
        return cluster.masterOf(prefix + name);
    }

    private static List<String> names(FoundLocks found) {
        return found.locks().stream().map(LockState::lockName).toList();
    }

    @Test
    void locksOfAllMastersAreFound() {
        FoundLocks found = timeless.findLocks();

        assertThat(found.isComplete()).as(found.missing()).isTrue();
        assertThat(names(found)).containsExactlyInAnyOrderElementsOf(held);
    }

    @Test
    void masterThatDoesNotAnswerIsNamedAndTheOtherMastersLocksAreFound() {
        RedisServer silent = masterOf(held.get(0));
        List<String> atOthers =
                held.stream().filter(name -> masterOf(name) != silent).toList();
        proxied.proxyOf(silent).blackHole();

        // On a busy machine, the time of one search may end before all the others have answered.
        Await.until("the others' locks are found", Await.PATIENCE, () -> {
            FoundLocks found = client.findLocks();
            assertThat(found.missing()).contains("127.0.0.1:" + silent.port()).contains("answer");
            return names(found).equals(atOthers.stream().sorted().toList());
        });
    }
}
