package dev.holdfast.lock.redis.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.redis.fixture.RedissonClientFixture;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Redisson does not see a request to stop, and its holders cannot be asked. */
@Timeout(Await.TEST_SECONDS)
class StopBesideRedissonTest {

    private final RedisServer server = RedisServer.shared();

    @ParameterizedTest
    @EnumSource(names = {"REENTRANT", "FAIR"})
    void redissonWaitsForAHolderThatIsAskedToStopAndIsNotAskedItself(LockKind kind) throws Exception {
        String name = Waits.name("stop");
        try (LockClient ours = Waits.client(server)
                        .watchdogTimeout(Duration.ofSeconds(3))
                        .build();
                RedissonClientFixture theirs = RedissonClientFixture.of(server)) {
            Lease held = ours.getLock(name, kind).acquire();
            assertThat(ours.requestStop(name)).isTrue();
            assertThat(theirs.call(() -> theirs.lock(name, kind).tryLock())).isFalse();
            var next = theirs.start(() -> theirs.lock(name, kind).tryLock(1, TimeUnit.MINUTES));
            Await.until("asked", TwoClients.PATIENCE, held::stopRequested);

            held.close();

            assertThat(Waits.get(next)).isTrue();
            assertThat(server.cli().hkeys(name)).hasSize(1);
            assertThat(ours.requestStop(name)).isFalse();
            assertThat(server.cli().hkeys(name)).hasSize(1);
            theirs.run(() -> theirs.lock(name, kind).unlock());
        }
    }
}
