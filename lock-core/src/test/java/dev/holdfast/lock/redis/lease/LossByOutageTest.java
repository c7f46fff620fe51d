package dev.holdfast.lock.redis.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.redis.fixture.ClientOwner;
import dev.holdfast.lock.redis.fixture.CriticalSection;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Redis cannot be reached: the holder knows that its lease is over before Redis can grant the lock to anybody else. */
@Timeout(Await.TEST_SECONDS)
class LossByOutageTest {

    private static final Duration LEASE = Duration.ofMillis(900);
    private static final AcquireOptions PATIENT = AcquireOptions.defaults().waitAtMost(Await.PATIENCE);

    private final RedisServer server = RedisServer.start();
    private final FaultProxy proxy = FaultProxy.to(server.port());
    private final RecordingListener listener = new RecordingListener();
    private final String name = "outage-" + UUID.randomUUID();

    @AfterEach
    void close() {
        proxy.close();
        server.close();
    }

    /** Watches all the time, as a holder does that checks before each step of its work; the last moment at which it went on. */
    private static CompletableFuture<Long> lastHeld(Lease lease) {
        return CompletableFuture.supplyAsync(
                () -> {
                    long last = System.nanoTime();
                    while (true) {
                        long before = System.nanoTime();
                        if (!lease.isHeld()) {
                            return last;
                        }
                        last = before;
                        LockSupport.parkNanos(100_000);
                    }
                },
                CriticalSection::onThread);
    }

    @ParameterizedTest
    @EnumSource
    void holderBehindADeadLinkKnowsBeforeTheNextIsGranted(ClientOwner clientOwner) {
        try (ClientOwner.Opened opened = clientOwner.to(proxy.uri());
                LockClient holder = Waits.client(opened.source())
                        .watchdogTimeout(LEASE)
                        .listener(listener)
                        .build();
                LockClient other =
                        Waits.client(server).pollInterval(Duration.ofMillis(5)).build()) {
            for (int round = 1; round <= 3; round++) {
                Lease lease = holder.getLock(name).acquire(PATIENT);
                CompletableFuture<Long> lastHeld = lastHeld(lease);
                CompletableFuture<Lease> next =
                        other.getLock(name).acquireAsync(PATIENT).toCompletableFuture();
                proxy.blackHole();

                Lease granted = next.join();
                long grantedAt = System.nanoTime();

                assertThat(lastHeld.join() - grantedAt).as("ns held too long").isNegative();
                assertLost(lease, round);
                granted.close();
                proxy.heal();
            }
        }
    }

    private void assertLost(Lease lease, int count) {
        listener.awaitLosses(count);
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        LeaseLoss loss = listener.losses.get(count - 1);
        assertThat(loss.cause()).isEqualTo(LossCause.UNCONFIRMED);
        assertThat(loss.sinceConfirmed())
                .isGreaterThanOrEqualTo(LEASE.multipliedBy(19).dividedBy(20));
        assertThat(listener.losses).hasSize(count);
    }
}
