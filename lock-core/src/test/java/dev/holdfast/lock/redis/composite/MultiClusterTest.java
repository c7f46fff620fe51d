package dev.holdfast.lock.redis.composite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.composite.MultiLock;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.CriticalSection;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisCluster;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several names in a cluster, of one slot and of several. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MultiClusterTest {

    private static RedisCluster cluster;
    private static LockClient here;
    private static LockClient there;

    private final String a = Waits.name("a");
    private final String b = Waits.name("b");
    private final String c = Waits.name("c");

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
        here = client();
        there = client();
    }

    private static LockClient client() {
        LockClient client = RedisLockClient.builder(
                        RedisSource.cluster(cluster.uris().toArray(RedisURI[]::new)))
                .checkAtStart(false)
                .watchdogTimeout(Duration.ofSeconds(3))
                .build();
        // From here on the connections stand.
        client.getLock("first").lock();
        client.getLock("first").unlock();
        return client;
    }

    @Test
    void guardedWriteToAnotherSlotNamesTheKeyToUse() {
        try (Lease lease = here.getLock(a).acquire()) {
            assertThatThrownBy(() -> lease.guard().set("value", "x"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll(
                            "The key 'value' must be in the slot of the lock with the key '" + a + "'",
                            "Use the key '{" + a + "}:value'");
            lease.guard().set("{" + a + "}:value", "x");
            assertThat(lease.guard().run("return redis.call('get', KEYS[1])", List.of("{" + a + "}:value")))
                    .containsExactly("x");
        }
        String tagged = "{" + b + "}:job";
        try (Lease lease = here.getLock(tagged).acquire()) {
            assertThatThrownBy(() -> lease.guard().guarded("return 1", List.of("{other}:value")))
                    .hasMessageContaining("Use the key '{" + b + "}:{other}:value'");
        }
    }

    @AfterAll
    static void stop() {
        here.close();
        there.close();
        cluster.close();
    }

    @Test
    void lockOfSeveralNamesWorksAfterARestart() {
        try (RedisLockClient client = RedisLockClient.builder(
                        RedisSource.cluster(cluster.uris().toArray(RedisURI[]::new)))
                .buildStopped()) {
            LeaseLock lock = client.getMultiLock(List.of(a, b, "{" + a + "}c"));
            for (int i = 0; i < 2; i++) {
                client.start();
                lock.acquire().close();
                client.close();
            }
        }
    }

    private static boolean isTaken(String name) {
        return cluster.masterOf(name).cli().exists(name) == 1;
    }

    @Test
    void namesOfSeveralSlotsAreTakenAllOrNone() {
        LeaseLock all = here.getMultiLock(List.of(c, a, b));
        assertThat(all).isInstanceOf(MultiLock.class);
        assertThat(all.name()).isEqualTo("[" + a + ", " + b + ", " + c + "]");

        try (Lease lease = all.acquire()) {
            assertThat(lease.isHeld()).isTrue();
            assertThat(List.of(a, b, c)).allMatch(MultiClusterTest::isTaken);
        }
        assertThat(List.of(a, b, c)).noneMatch(MultiClusterTest::isTaken);

        try (Lease other = there.getLock(b).acquire()) {
            assertThat(all.tryAcquire()).isEmpty();
            assertThat(isTaken(a) || isTaken(c)).isFalse();
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void overlappingSetsInAnyOrderExcludeEachOtherAndNobodyWaitsForEver() throws Exception {
        String tag = "{" + b + "}";
        List<List<String>> sets = List.of(
                List.of(a, tag + "1", c),
                List.of(c, tag + "1", a),
                List.of(tag + "2", tag + "1"),
                List.of(tag + "1", c));
        List<LeaseLock> locks = new ArrayList<>();
        for (LockClient client : List.of(here, there)) {
            sets.forEach(names -> locks.add(client.getMultiLock(names)));
        }
        CriticalSection section = new CriticalSection();

        section.enterUnder(locks, 10, CriticalSection::onThread);

        assertThat(section.count()).isEqualTo(10 * locks.size());
    }
}
