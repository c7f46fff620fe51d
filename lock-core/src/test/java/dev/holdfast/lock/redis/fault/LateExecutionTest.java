package dev.holdfast.lock.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.fixture.ClientOwner;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A command outlives the patience of whoever sent it and is executed, or lost, when nobody waits for it any more. */
@Timeout(60)
class LateExecutionTest {

    private static final Duration PATIENCE = Duration.ofMillis(200);
    private static final int ROUNDS = 4;

    private final RedisServer server = RedisServer.start();
    private final FaultProxy proxy = FaultProxy.to(server.port());
    private final RecordingListener listener = new RecordingListener();
    private final String name = "late-" + UUID.randomUUID() + "-";

    @AfterEach
    void close() {
        proxy.close();
        server.close();
    }

    @ParameterizedTest
    @EnumSource
    void heldBackAcquisitionThatRunsInTheEndIsTakenBack(ClientOwner clientOwner) {
        try (ClientOwner.Opened opened = clientOwner.to(proxy.uri());
                LockClient client = RedisLockClient.builder(opened.source())
                        .checkAtStart(false)
                        .commandTimeout(PATIENCE)
                        .listener(listener)
                        .build()) {
            for (int i = 0; i < ROUNDS; i++) {
                String key = name + i;
                awaitService(client);
                proxy.holdBack();
                long begin = System.nanoTime();
                assertThatThrownBy(() -> client.getLock(key).tryLock()).isInstanceOf(LockUnavailableException.class);
                assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(PATIENCE.multipliedBy(10));
                Pause.of(PATIENCE.dividedBy(2));
                proxy.heal();
                assertNothingIsKept(client, key);
            }
            listener.assertNoTokenTwice();
            assertThat(listener.losses).isEmpty();
        }
    }

    private void awaitService(LockClient client) {
        Await.until("locks work", Duration.ofSeconds(10), () -> {
            try (Lease lease = client.getLock(name + "probe").acquire()) {
                return lease.isHeld();
            }
        });
    }

    /** Another client gets the lock long before the first lease of 30 s would have ended, and keeps it. */
    private void assertNothingIsKept(LockClient client, String key) {
        try (LockClient other = Waits.client(server).build()) {
            Lease lease = other.getLock(key).acquire();
            awaitService(client);
            assertThat(lease.verify()).isTrue();
            lease.close();
        }
        awaitService(client);
        assertThat(server.cli().exists(key)).as("keys left").isZero();
        assertThat(client.heldLocks()).isEmpty();
    }
}
