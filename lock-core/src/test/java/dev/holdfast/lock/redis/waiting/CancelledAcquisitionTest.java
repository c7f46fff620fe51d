package dev.holdfast.lock.redis.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A future of an acquisition is cancelled at a random moment. */
@Timeout(60)
class CancelledAcquisitionTest {

    private static final long SEED = System.nanoTime();
    private static final AcquireOptions PATIENT = AcquireOptions.defaults().waitAtMost(Duration.ofSeconds(30));

    private final RedisServer server = RedisServer.shared();
    private final RecordingListener listener = new RecordingListener();
    private final String name = "cancelled-" + UUID.randomUUID();
    private final LockClient client = Waits.client(server).listener(listener).build();

    @AfterEach
    void close() {
        client.close();
    }

    @Test
    void aThousandCancelledFuturesLeaveNothingBehind() {
        client.getLock(name).acquire().close();
        Random random = new Random(SEED);
        int cancelled = 0;
        for (int i = 0; i < 1_000; i++) {
            CompletableFuture<Lease> future =
                    client.getLock(name).acquireAsync(PATIENT).toCompletableFuture();
            LockSupport.parkNanos(random.nextInt(500) * 1_000L);
            if (future.cancel(false)) {
                cancelled++;
            } else {
                future.join().close();
            }
        }
        assertThat(cancelled).as("both outcomes, seed " + SEED).isBetween(1, 999);
        assertNothingIsLeft();
        assertThat(listener.losses).isEmpty();
        listener.assertNoTokenTwice();
    }

    private void assertNothingIsLeft() {
        Await.until("the key is gone", Duration.ofSeconds(5), () -> server.cli().exists(name) == 0);
        Await.until(
                "nothing is held",
                Duration.ofSeconds(5),
                () -> client.heldLocks().isEmpty());
    }

    @Test
    void waiterWhoseFutureTimesOutLeavesTheRoomAtOnce() {
        Lease held = client.getLock(name).acquire();
        CompletableFuture<Lease> future =
                client.getLock(name).acquireAsync(PATIENT).toCompletableFuture();
        CompletableFuture<Lease> limited = future.orTimeout(20, TimeUnit.MILLISECONDS);

        assertThatThrownBy(limited::join).hasCauseInstanceOf(TimeoutException.class);

        Await.until(
                "nobody waits",
                Duration.ofSeconds(5),
                () -> client.heldLocks().get(0).waitersHere() == 0);
        held.close();
        assertNothingIsLeft();
    }
}
