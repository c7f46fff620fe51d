package dev.holdfast.lock.redis.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockInterruptedException;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An interrupt hits an acquisition at a random moment: the caller has the lock and says so, or nothing is left of it. */
@Timeout(60)
class InterruptedAcquisitionTest {

    private static final long SEED = System.nanoTime();

    private final RedisServer server = RedisServer.shared();
    private final RecordingListener listener = new RecordingListener();
    private final String name = "interrupted-" + UUID.randomUUID();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Random random = new Random(SEED);

    private interface Acquisition {
        Lease acquire() throws InterruptedException;
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
    }

    /** Whether the acquisition went through in spite of the interrupt. */
    private boolean interrupt(Acquisition acquisition, int mostMicros) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        Thread[] thread = new Thread[1];
        Future<Boolean> acquired = threads.submit(() -> {
            thread[0] = Thread.currentThread();
            begun.countDown();
            try (Lease lease = acquisition.acquire()) {
                assertThat(lease.isHeld()).isTrue();
                return true;
            } catch (LockInterruptedException e) {
                assertThat(Thread.interrupted()).as("the flag is set again").isTrue();
                return false;
            } catch (InterruptedException e) {
                return false;
            } finally {
                Thread.interrupted();
            }
        });
        begun.await();
        LockSupport.parkNanos(random.nextInt(mostMicros) * 1_000L);
        if (!acquired.isDone()) {
            thread[0].interrupt();
        }
        return acquired.get();
    }

    @Test
    void aThousandInterruptsLeaveNothingBehind() throws Exception {
        try (LockClient client = Waits.client(server).listener(listener).build()) {
            client.getLock(name).acquire().close();
            int acquired = 0;
            for (int i = 0; i < 1_000; i++) {
                acquired += interrupt(() -> client.getLock(name).acquire(), 600) ? 1 : 0;
            }
            assertThat(acquired).as("both outcomes, seed " + SEED).isBetween(1, 999);
            assertNothingIsLeft(client);
        }
    }

    /** Well before the lease of 30 s would have ended. */
    private void assertNothingIsLeft(LockClient client) {
        Await.until("the key is gone", Duration.ofSeconds(5), () -> server.cli().exists(name) == 0);
        assertThat(client.heldLocks()).isEmpty();
        listener.assertNoTokenTwice();
        assertThat(listener.losses).isEmpty();
        client.getLock(name).acquire().close();
        assertThat(server.cli().exists(name)).isZero();
    }

    @Test
    void interruptedWaitersForABusyLockLeaveItToItsHolder() throws Exception {
        try (LockClient client = Waits.client(server).listener(listener).build();
                LockClient other = Waits.client(server).build()) {
            Lease held = other.getLock(name).acquire();
            for (int i = 0; i < 200; i++) {
                assertThat(interrupt(() -> client.getLock(name).acquire(), 2_000))
                        .isFalse();
            }
            assertThat(held.verify()).isTrue();
            held.close();
            assertNothingIsLeft(client);
        }
    }
}
