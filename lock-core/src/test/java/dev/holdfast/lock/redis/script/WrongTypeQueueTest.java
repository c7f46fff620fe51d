package dev.holdfast.lock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.ContractKind;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Another program wrote something else under the keys of a lock's queue. */
@Timeout(Await.TEST_SECONDS)
class WrongTypeQueueTest {

    private final RedisServer server = RedisServer.shared();
    private final RecordingListener listener = new RecordingListener();

    @AutoClose
    private final LockClient holder = Waits.client(server).listener(listener).build();

    @AutoClose
    private final LockClient other = Waits.client(server).build();

    /** The places are overwritten, or their deadlines. */
    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "COMPOSITE")
    void releaseWithoutItsQueueFreesTheLockAllTheSame(ContractKind kind) {
        releaseFreesTheLock(kind, "redisson_lock_queue");
        releaseFreesTheLock(kind, "redisson_lock_timeout");
    }

    private void releaseFreesTheLock(ContractKind kind, String overwritten) {
        String name = kind.fit("overwritten-" + UUID.randomUUID());
        RedisCommands<String, String> cli = server.cli();
        Lease lease = kind.lock(holder, name).acquire();
        var waiting = kind.excluding(other, name)
                .acquireAsync(AcquireOptions.defaults())
                .toCompletableFuture();
        Await.until(
                "it waits", TwoClients.PATIENCE, () -> !keys(overwritten, name).isEmpty());
        keys(overwritten, name).forEach(key -> cli.set(key, "something else"));

        lease.releaseAsync().toCompletableFuture().join();

        assertThat(kind.names(name))
                .allSatisfy(each -> assertThat(cli.exists(each)).isZero());
        assertThat(listener.losses).isEmpty();
        waiting.cancel(false);
        keys(overwritten, name).forEach(cli::del);
    }

    /** One for each request would stay until ten minutes after the last request. */
    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "COMPOSITE")
    void requestThatCannotEnterTheQueueLeavesNoDeadline(ContractKind kind) {
        String name = kind.fit("overwritten-" + UUID.randomUUID());
        RedisCommands<String, String> cli = server.cli();
        Lease lease = kind.lock(holder, name).acquire();
        LeaseLock excluding = kind.excluding(other, name);
        var waiting = excluding.acquireAsync(AcquireOptions.defaults()).toCompletableFuture();
        Await.until(
                "it waits",
                TwoClients.PATIENCE,
                () -> !keys("redisson_lock_queue", name).isEmpty());
        List<String> queue = keys("redisson_lock_queue", name);
        waiting.cancel(false);
        Await.until(
                "it has left",
                TwoClients.PATIENCE,
                () -> keys("redisson_lock_timeout", name).isEmpty());
        queue.forEach(key -> cli.set(key, "something else"));

        assertThatThrownBy(() -> excluding.acquire(AcquireOptions.defaults())).hasMessageContaining("WRONGTYPE");

        assertThat(keys("redisson_lock_timeout", name)).isEmpty();
        queue.forEach(cli::del);
        lease.close();
    }

    private List<String> keys(String what, String name) {
        return server.cli().keys(what + ":*" + name + "*");
    }
}
