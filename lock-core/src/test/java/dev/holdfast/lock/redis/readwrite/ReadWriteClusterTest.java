package dev.holdfast.lock.redis.readwrite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.LeastRights;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisCluster;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A read/write lock in a cluster: all of its keys in one slot, its messages over the shard, with the rights of the file. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReadWriteClusterTest {

    private static RedisCluster cluster;
    private static LockClient here;
    private static LockClient there;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
        cluster.servers().forEach(server -> LeastRights.grant(server, LeastRights.USER, "nothing"));
        here = client();
        there = client();
    }

    private static LockClient client() {
        RedisURI seed = RedisURI.builder(cluster.uris().get(0))
                .withAuthentication(LeastRights.USER, LeastRights.PASSWORD)
                .build();
        return Waits.client(RedisSource.cluster(seed))
                .keyPrefix(TwoClients.PREFIX)
                .pollInterval(Duration.ofMinutes(2))
                .watchdogTimeout(Duration.ofSeconds(30))
                .build();
    }

    @AfterAll
    static void end() {
        here.close();
        there.close();
        cluster.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"name", "{tenant}:name", "name:{tenant}"})
    void bothSidesWorkOverTheShard(String what) throws Exception {
        String name = what + UUID.randomUUID();
        try (ScriptedThread reader = new ScriptedThread();
                ScriptedThread writer = new ScriptedThread()) {
            reader.run(() -> here.getLock(name, LockKind.READ).lock());
            var writing = writer.start(() -> there.getLock(name, LockKind.WRITE).tryLock(Duration.ofSeconds(30)));
            TwoClients.awaitWaiters(there, name, 1);
            Await.until(
                    "new readers are kept out",
                    TwoClients.PATIENCE,
                    () -> !here.getLock(name, LockKind.READ).tryLock() || leave(name));
            long left = System.nanoTime();
            reader.run(() -> here.getLock(name, LockKind.READ).unlock());
            assertThat(ScriptedThread.outcome(writing)).isTrue();
            assertThat(Waits.millisSince(left)).isLessThan(Waits.SOON_MILLIS);

            writer.run(() -> there.getLock(name, LockKind.READ).lock());
            var reading = reader.start(() -> here.getLock(name, LockKind.READ).tryLock(Duration.ofSeconds(30)));
            TwoClients.awaitWaiters(here, name, 1);
            long down = System.nanoTime();
            writer.run(() -> there.getLock(name, LockKind.WRITE).unlock());
            assertThat(ScriptedThread.outcome(reading)).isTrue();
            assertThat(Waits.millisSince(down)).isLessThan(Waits.SOON_MILLIS);

            assertThat(here.inspect(name).map(LockState::holders).orElseThrow()).hasSize(2);
            assertThat(here.forceRelease(name)).isTrue();
            assertThat(here.inspect(name)).isEmpty();
            assertThat(cluster.servers())
                    .allSatisfy(server -> assertThat(server.cli().aclLog()).isEmpty());
        }
    }

    /** The mark had not come yet: out again. */
    private static boolean leave(String name) {
        here.getLock(name, LockKind.READ).unlock();
        return false;
    }
}
