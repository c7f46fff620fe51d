package dev.holdfast.lock.redis.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leases that end because of what their own holder asked for, or did. */
@Timeout(30)
class LossByOwnLimitTest {

    private static final Duration LEASE = Duration.ofMillis(1_200);

    private final RedisServer server = RedisServer.shared();
    private final String name = "own-limit-" + UUID.randomUUID();
    private final LockClient client = Waits.client(server).build();

    @AfterEach
    void close() {
        client.close();
    }

    @Test
    void extensionNeverClaimsMoreThanRedisWasTold() {
        try (Lease lease =
                client.getLock(name).acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(30)))) {
            server.cli().pexpire(name, 5000);
            lease.extend(Duration.ofSeconds(6));
            assertThat(lease.remaining())
                    .isLessThan(Duration.ofMillis(server.cli().pttl(name)));
        }
    }

    @Test
    void unlockThatMeetsTheLossIsToldOfIt() throws Exception {
        CountDownLatch losing = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        // The clock is the one thing that is asked between the end of the lease and the word about it.
        LongSupplier clock = () -> {
            if (StackWalker.getInstance()
                    .walk(frames ->
                            frames.anyMatch(frame -> frame.getMethodName().equals("reportLoss")))) {
                losing.countDown();
                await(goOn);
            }
            return System.nanoTime();
        };
        try (LockClient own = Waits.client(server).clock(clock).build()) {
            Lease lease = own.getLock(name).acquire(AcquireOptions.defaults().lease(LEASE));
            losing.await();
            CompletableFuture<Throwable> closing = CompletableFuture.supplyAsync(() -> catchThrowable(lease::close));
            // Until then the release has nothing to say.
            CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS).execute(goOn::countDown);

            assertThat(closing.get()).isInstanceOf(LeaseLostException.class);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
