package dev.holdfast.lock.redis.waiting;

import static dev.holdfast.lock.redis.fixture.Waits.get;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(Await.TEST_SECONDS)
class FairOrderTest {

    private static final Duration RARE = Duration.ofSeconds(25);

    private final RedisServer server = RedisServer.shared();
    private final FairQueue queue = new FairQueue(server);
    private final List<LockClient> clients = IntStream.range(0, 4)
            .mapToObj(i -> Waits.client(server).pollInterval(RARE).build())
            .toList();

    @AfterEach
    void close() {
        clients.forEach(LockClient::close);
    }

    @Test
    void tryThatDoesNotWaitNeitherQueuesNorPassesTheQueue() {
        LeaseLock lock = queue.lock(clients.get(0));
        Lease held = queue.held(clients.get(1));
        assertThat(lock.tryLock()).isFalse();
        assertThat(lock.tryAcquire()).isEmpty();
        assertThat(queue.isGone()).isTrue();
        held.close();

        // Free, but somebody was here before.
        queue.plant("somebody:1", Duration.ofSeconds(30));
        assertThat(lock.tryLock()).isFalse();
        assertThat(queue.owners()).containsExactly("somebody:1");

        server.cli().del(queue.list(), queue.deadlines());
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    void inspectShowsTheKindTheQueueAndHowManyWaitHere() {
        Lease held = queue.held(clients.get(0));
        CompletableFuture<Lease> first = queue.queued(clients.get(1));
        CompletableFuture<Lease> second = queue.queued(clients.get(2));
        CompletableFuture<Lease> third = queue.queued(clients.get(1));
        CompletableFuture<Lease> fourth = queue.queued(clients.get(0));

        LockState state = clients.get(1).inspect(queue.name()).orElseThrow();

        assertThat(state.kind()).isEqualTo(LockKind.FAIR);
        assertThat(state.queue()).hasSize(4).isEqualTo(queue.owners()).doesNotContain(state.owner());
        assertThat(state.waitersHere()).isEqualTo(2);
        assertThat(clients.get(0).heldLocks()).singleElement().satisfies(lock -> {
            assertThat(lock.kind()).isEqualTo(LockKind.FAIR);
            assertThat(lock.waitersHere()).isOne();
        });
        held.close();
        get(first).close();
        get(second).close();
        get(third).close();
        get(fourth).close();
        assertThat(clients.get(1).inspect(queue.name())).isEmpty();
    }
}
