package dev.holdfast.lock.redis.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockInterruptedException;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisServer;
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
@Timeout(Await.TEST_SECONDS)
class InterruptedAcquisitionTest {

    private static final long SEED = Nightly.Night.seed(1);

    private final RedisServer server = RedisServer.shared();
    private final RecordingListener listener = new RecordingListener();
    private final String name = "interrupted-" + UUID.randomUUID();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Random random = new Random(SEED);

    @AfterEach
    void close() {
        threads.shutdownNow();
    }

    /** Whether the acquisition went through in spite of the interrupt. */
    private boolean acquiresBesideAnInterrupt(LockClient client) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        Thread[] thread = new Thread[1];
        Future<Boolean> acquired = threads.submit(() -> {
            thread[0] = Thread.currentThread();
            begun.countDown();
            try (Lease lease = client.getLock(name).acquire()) {
                assertThat(lease.isHeld()).isTrue();
                return true;
            } catch (LockInterruptedException e) {
                assertThat(Thread.interrupted()).as("the flag is set again").isTrue();
                return false;
            } finally {
                Thread.interrupted();
            }
        });
        begun.await();
        LockSupport.parkNanos(random.nextInt(600) * 1_000L);
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
                acquired += acquiresBesideAnInterrupt(client) ? 1 : 0;
            }
            assertThat(acquired).as("both outcomes, seed " + SEED).isBetween(1, 999);
            // Well before the lease of 30 s would have ended.
            Await.until("the key is gone", Await.PATIENCE, () -> server.cli().exists(name) == 0);
            assertThat(client.heldLocks()).isEmpty();
            listener.assertNoTokenTwice();
            assertThat(listener.losses).isEmpty();
            client.getLock(name).acquire().close();
            assertThat(server.cli().exists(name)).isZero();
        }
    }
}
