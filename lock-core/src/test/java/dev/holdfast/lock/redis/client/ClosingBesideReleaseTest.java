package dev.holdfast.lock.redis.client;

import static dev.holdfast.lock.redis.fixture.Waits.LONG;
import static dev.holdfast.lock.redis.fixture.Waits.get;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.ContractKind;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client closes within two milliseconds of a release elsewhere, for which it waits: two real threads at once. */
@Nightly(inEachBuild = "ClosingStepsTest, at each step of a thread, and the simulation, at random moments")
class ClosingBesideReleaseTest {

    private static final int CLOSES = 2_000;
    private static final long SEED = Long.getLong("holdfast.seed", 27);
    private static final Duration SOON = Await.PATIENCE;
    private static final int FARTHEST_NANOS = 2_000_000;

    @ParameterizedTest
    @EnumSource
    void nothingStaysTakenAndNobodyHasALease(ContractKind kind) {
        Random random = new Random(SEED);
        try (RedisServer server = RedisServer.start();
                LockClient other = Waits.client(server).build()) {
            RedisClient shared = RedisClient.create(server.uri());
            String name = kind.fit("closing");
            for (int close = 0; close < CLOSES; close++) {
                LockClient client = Waits.client(RedisSource.of(shared)).build();
                Lease elsewhere = kind.excluding(other, name).acquire();
                List<CompletableFuture<Lease>> wanted = List.of(wanted(kind, client, name), wanted(kind, client, name));
                Await.until(
                        "somebody listens",
                        SOON,
                        () -> !server.cli().pubsubChannels("holdfast:wake:*").isEmpty());
                long offset = random.nextInt(-FARTHEST_NANOS, FARTHEST_NANOS);

                // Each of the two at its time, on a thread of its own: both may wait for Redis.
                CompletableFuture<Void> released = at(Math.max(0, -offset), elsewhere::close);
                CompletableFuture<Void> closed = at(Math.max(0, offset), client::close);

                get(closed);
                assertThat(wanted)
                        .as("leases, %s: close %d, %d ns behind the release", kind, close, offset)
                        .noneMatch(lease -> lease.isDone()
                                && !lease.isCompletedExceptionally()
                                && lease.join().isHeld());
                get(released);
                assertThat(server.cli().keys("*closing*"))
                        .as("keys, %s: close %d, %d ns behind the release", kind, close, offset)
                        .isEmpty();
                Await.until("nobody waits", SOON, () -> wanted.stream().allMatch(CompletableFuture::isDone));
            }
            shared.shutdown(0, 0, TimeUnit.SECONDS);
        }
    }

    private static CompletableFuture<Lease> wanted(ContractKind kind, LockClient client, String name) {
        return kind.lock(client, name).acquireAsync(Waits.waiting(LONG)).toCompletableFuture();
    }

    private static CompletableFuture<Void> at(long nanos, Runnable action) {
        long moment = System.nanoTime() + nanos;
        return CompletableFuture.runAsync(
                () -> {
                    LockSupport.parkNanos(moment - System.nanoTime());
                    action.run();
                },
                task -> new Thread(task).start());
    }
}
