package dev.holdfast.lock.redis.script;

import static dev.holdfast.lock.redis.fixture.Waits.get;
import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.wanted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.LiveObjects;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A name that leaves a key behind costs Redis some 60 bytes. A million names with {@code -Pnightly}. */
class ManyNamesTest {

    private static final int NAMES = Nightly.Night.isOn() ? 1_000_000 : 10_000;
    private static final int AT_A_TIME = 400;

    /** Less than one for each name, and more than a client at rest has more at one time than at another. */
    private static final int FEW = 30;

    /** The watchdog comes by three times in this time, and forgets rounds with nothing in them. */
    private static final Duration LEASE = Duration.ofSeconds(3);

    @Test
    void namesLockedAndReleasedLeaveNothingInTheClientAndNoKeyOfTheirsInRedis() throws Exception {
        try (RedisServer server = RedisServer.start();
                LockClient client = Waits.client(server).watchdogTimeout(LEASE).build()) {
            lockAndRelease(client, "warm-up", 2_000);
            long memory = usedMemory(server);
            LiveObjects before = LiveObjects.now();

            lockAndRelease(client, "name", NAMES);

            assertThat(server.cli().keys("*"))
                    .as("the token and the client's name")
                    .hasSize(2)
                    .contains(LockKeys.TOKEN_KEY)
                    .allMatch(key -> key.startsWith("holdfast:"));
            assertThat(usedMemory(server) - memory).isLessThan(500_000);
            assertThat(client.heldLocks()).isEmpty();
            before.awaitForgotten(FEW);
        }
    }

    @Test
    void namesWaitedForAreForgottenAfterTheLastWaiterHasLeft() throws Exception {
        RedisServer server = RedisServer.shared();
        try (LockClient holder = Waits.client(server).watchdogTimeout(LEASE).build();
                LockClient client = Waits.client(server).watchdogTimeout(LEASE).build()) {
            held(holder, Waits.name("first")).close();
            held(client, Waits.name("first")).close();
            LiveObjects before = LiveObjects.now();
            for (int i = 0; i < 300; i++) {
                String name = Waits.name("waited");
                var lease = held(holder, name);
                CompletableFuture<?> wanted = wanted(client, name);
                if (i % 10 == 0) {
                    Waits.awaitListeners(server, name, 1);
                }
                if (i % 2 == 0) {
                    wanted.cancel(false);
                }
                lease.close();
                if (i % 2 == 1) {
                    ((dev.holdfast.lock.Lease) get(wanted)).close();
                }
            }
            // It listens on for a second after the last waiter.
            before.awaitForgotten(FEW);
            assertThat(client.heldLocks()).isEmpty();
        }
    }

    private static void lockAndRelease(LockClient client, String prefix, int count) throws InterruptedException {
        Semaphore room = new Semaphore(AT_A_TIME);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        for (int i = 0; i < count; i++) {
            room.acquire();
            client.getLock(prefix + i)
                    .acquireAsync(Waits.waiting(Waits.LONG))
                    .thenCompose(lease -> lease.releaseAsync())
                    .whenComplete((done, thrown) -> {
                        failure.compareAndSet(null, thrown);
                        room.release();
                    });
        }
        room.acquire(AT_A_TIME);
        assertThat(failure.get()).isNull();
    }

    private static long usedMemory(RedisServer server) {
        return Long.parseLong(server.info("memory").get("used_memory"));
    }
}
