package dev.holdfast.lock.redis.waiting;

import static dev.holdfast.lock.redis.fixture.Waits.get;
import static dev.holdfast.lock.redis.fixture.Waits.millisSince;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
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
    void waitersOfFourClientsAreServedInTheOrderOfTheirArrival() {
        Lease held = queue.held(clients.get(0));
        Queue<Integer> served = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        int waiters = 40;
        for (int i = 0; i < waiters; i++) {
            int place = i;
            all.add(queue.queued(clients.get(i * 7 % 4)).thenAccept(lease -> {
                served.add(place);
                lease.close();
            }));
        }

        long released = System.nanoTime();
        held.close();
        all.forEach(Waits::get);

        assertThat(served)
                .containsExactlyElementsOf(IntStream.range(0, waiters).boxed().toList());
        // Each by a message: polls come after two seconds at the earliest, so forty turns by polls take forty seconds.
        assertThat(millisSince(released)).isLessThan(Waits.SOON_MILLIS);
        assertThat(queue.isGone()).isTrue();
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

        LockState state = clients.get(1).inspect(queue.name()).orElseThrow();

        assertThat(state.kind()).isEqualTo(LockKind.FAIR);
        assertThat(state.queue()).hasSize(3).isEqualTo(queue.owners()).doesNotContain(state.owner());
        assertThat(state.waitersHere()).isEqualTo(2);
        assertThat(clients.get(0).heldLocks()).singleElement().satisfies(lock -> {
            assertThat(lock.kind()).isEqualTo(LockKind.FAIR);
        });
        held.close();
        get(first).close();
        get(second).close();
        get(third).close();
        assertThat(clients.get(1).inspect(queue.name())).isEmpty();
    }
}
