package dev.holdfast.lock.redis.composite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Losing one of several names is losing all: it is told once, and the others are freed. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MultiPartLossTest {

    private static final Duration LEASE = Duration.ofSeconds(3);

    private final RedisServer server = RedisServer.shared();
    private final RecordingListener listener = new RecordingListener();
    private final LockClient client =
            Waits.client(server).watchdogTimeout(LEASE).listener(listener).build();
    private final String a = Waits.name("a");
    private final String b = Waits.name("b");
    private final Lease lease = client.getMultiLock(List.of(a, b)).acquire();
    private final List<LeaseLoss> told = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        client.close();
        server.cli().del(a, b);
    }

    private void awaitFree(String name) {
        Await.until(name + " is free", LEASE.dividedBy(2), () -> server.cli().exists(name) == 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"deleted", "given to another holder", "overwritten"})
    void isToldOnceAtTheNextRenewalAndTheRestIsFreed(String how) {
        lease.onLost(told::add);

        server.cli().del(b);
        if (how.startsWith("given")) {
            server.cli().hset(b, "another:1:1", "1");
        } else if (how.equals("overwritten")) {
            server.cli().set(b, "something else");
        }
        listener.awaitLosses(1);
        awaitFree(a);

        assertThat(lease.isHeld()).isFalse();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        if (how.startsWith("given")) {
            assertThat(server.cli().hgetall(b)).isEqualTo(Map.of("another:1:1", "1"));
        }
        Await.until("the callback was told", Waits.LONG, () -> !told.isEmpty());
        assertThat(told).hasSize(1);
        assertThat(listener.losses).containsExactlyElementsOf(told);
        assertThat(told.get(0).cause()).isEqualTo(LossCause.GONE);
    }
}
