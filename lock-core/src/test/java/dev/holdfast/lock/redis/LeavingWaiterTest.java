package dev.holdfast.lock.redis;

import static dev.holdfast.lock.redis.Waits.held;
import static dev.holdfast.lock.redis.Waits.name;
import static dev.holdfast.lock.redis.Waits.waiting;
import static dev.holdfast.lock.redis.Waits.wanted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A poll too long to help: whoever is left behind stays behind, and the test fails. */
class LeavingWaiterTest {

    private static final int ROUNDS = 1_500;
    private static final long SPREAD_NANOS = TimeUnit.MICROSECONDS.toNanos(1_500);

    private final RedisServer server = RedisServer.shared();
    private final LockClient holder = Waits.client(server).build();
    private final LockClient client =
            Waits.client(server).pollInterval(Duration.ofSeconds(25)).build();
    private final SplittableRandom random = new SplittableRandom(7);

    @AfterEach
    void close() {
        client.close();
        holder.close();
    }

    @Test
    void waiterThatTimesOutAsTheLockIsReleasedTakesNoWakeUpWithIt() throws Exception {
        race(nanos -> waiting(Duration.ofNanos(nanos)), (leaving, nanos) -> {});
    }

    @Test
    void waiterThatIsCancelledAsTheLockIsReleasedTakesNoWakeUpWithIt() throws Exception {
        race(nanos -> waiting(Waits.LONG), (leaving, nanos) -> {
            LockSupport.parkNanos(nanos / 2);
            leaving.cancel(false);
        });
    }

    private interface Choice {
        AcquireOptions options(long nanos);
    }

    private void race(Choice choice, BiConsumer<CompletableFuture<Optional<Lease>>, Long> leave) throws Exception {
        String name = name("leaving");
        int left = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Lease lease = held(holder, name);
            long nanos = random.nextLong(SPREAD_NANOS);
            CompletableFuture<Optional<Lease>> leaving =
                    client.getLock(name).tryAcquireAsync(choice.options(nanos)).toCompletableFuture();
            CompletableFuture<Lease> staying = wanted(client, name);
            LockSupport.parkNanos(random.nextLong(SPREAD_NANOS));
            CompletableFuture<Void> released = lease.releaseAsync().toCompletableFuture();
            leave.accept(leaving, nanos);
            left += settled(leaving) ? 0 : 1;
            try {
                staying.get(5, TimeUnit.SECONDS).close();
            } catch (TimeoutException e) {
                throw new AssertionError("left behind in round " + round, e);
            }
            released.get(5, TimeUnit.SECONDS);
        }
        // Otherwise this would not have been a race.
        assertThat(left).isBetween(ROUNDS / 50, ROUNDS - ROUNDS / 50);
    }

    private static boolean settled(CompletableFuture<Optional<Lease>> leaving) throws Exception {
        try {
            Optional<Lease> lease = leaving.get(5, TimeUnit.SECONDS);
            lease.ifPresent(Lease::close);
            return lease.isPresent();
        } catch (java.util.concurrent.CancellationException e) {
            return false;
        }
    }

    @Test
    void futureThatItsOwnerSettlesOtherwiseWaitsNoLonger() {
        String name = name("settled");
        try (Lease lease = held(holder, name)) {
            CompletableFuture<Lease> wanted = wanted(client, name);
            Waits.awaitListeners(server, name, 1);

            wanted.completeExceptionally(new TimeoutException("its owner's own limit"));

            Await.until("nobody waits", Duration.ofSeconds(5), () -> waiters(name) == 0);
            assertThat(lease.isHeld()).isTrue();
        }
    }

    private int waiters(String name) {
        return client.inspect(name).orElseThrow().waitersHere();
    }
}
