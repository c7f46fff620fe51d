package dev.holdfast.lock.redis.waiting;

import static dev.holdfast.lock.redis.fixture.Waits.get;
import static dev.holdfast.lock.redis.fixture.Waits.millisSince;
import static dev.holdfast.lock.redis.fixture.Waits.waiting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whoever stops waiting leaves no entry in the queue, long before its deadline. */
@Timeout(60)
class FairLeavingTest {

    private final RedisServer server = RedisServer.shared();
    private final FairQueue queue = new FairQueue(server);
    private final LockClient holder = Waits.client(server).build();
    private final LockClient client =
            Waits.client(server).pollInterval(Duration.ofSeconds(25)).build();
    private Lease held;

    @BeforeEach
    void hold() {
        held = queue.held(holder);
    }

    @AfterEach
    void close() {
        client.close();
        holder.close();
    }

    @Test
    void waiterThatTimesOutLeavesTheQueue() {
        assertThat(queue.lock(client).tryAcquire(waiting(Duration.ofMillis(200))))
                .isEmpty();

        queue.awaitGone();
    }

    @Test
    void waiterThatIsInterruptedLeavesTheQueue() throws Exception {
        try (ScriptedThread thread = new ScriptedThread()) {
            CompletableFuture<Boolean> waiter =
                    thread.start(() -> queue.lock(client).tryLock(Waits.LONG));
            queue.awaitLength(1);

            thread.thread().interrupt();

            assertThatThrownBy(() -> ScriptedThread.outcome(waiter)).isInstanceOf(InterruptedException.class);
            queue.awaitGone();
        }
    }

    @Test
    void waiterThatIsCancelledLeavesTheQueue() {
        CompletableFuture<Lease> waiter = queue.queued(client);

        waiter.cancel(false);

        queue.awaitGone();
    }

    @Test
    void waitersOfAClientThatClosesLeaveTheQueue() {
        LockClient closing = Waits.client(server).build();
        for (int i = 0; i < 10; i++) {
            queue.queued(closing);
        }

        closing.close();

        assertThat(queue.isGone()).isTrue();
    }

    @Test
    void headThatLeavesAFreeLockTellsTheNextOne() {
        CompletableFuture<Lease> head = queue.queued(client);
        CompletableFuture<Lease> next = queue.queued(client);
        // Lost without a message: both sleep for two seconds and more.
        server.cli().del(queue.name());

        long left = System.nanoTime();
        head.cancel(false);

        get(next).close();
        assertThat(millisSince(left)).isLessThan(1_500);
    }
}
