package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.test.memory.MemoryGateway;
import dev.holdfast.lock.test.memory.MemoryGateway.Command;
import dev.holdfast.lock.test.memory.MemoryGateway.Traffic;
import dev.holdfast.lock.test.memory.MemoryRedis;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.VirtualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a waiter asks for a lock that a holder of its own client has, in virtual time. */
@Timeout(Await.TEST_SECONDS)
class WaitBesideHolderTest {

    private final VirtualClock clock = new VirtualClock();
    private final MemoryRedis server = new MemoryRedis(clock, Instant.EPOCH, Runnable::run);
    private int requests;

    private final Traffic traffic = new Traffic() {
        @Override
        public <T> CompletableFuture<T> send(String name, List<String> keys, List<String> args, Command<T> command) {
            requests += name.equals("acquire") ? 1 : 0;
            return Traffic.executed(command);
        }
    };

    private LockClient client(Duration handOver) {
        return VirtualClients.builder(clock, (settings, timer, ticker) -> new MemoryGateway(server, traffic, ticker))
                .handOver(32, handOver)
                .build();
    }

    /** Until then the holder may hand the lock over, and after 20 ms the waiter wants its place in the queue. */
    @ParameterizedTest
    @CsvSource({"250, 20", "5, 5"})
    void waiterAsksOnceTheGrantIsTooOldToBeHandedOverOrTwentyMilliseconds(int handOverMillis, int askedAfter) {
        try (LockClient client = client(Duration.ofMillis(handOverMillis))) {
            LeaseLock lock = client.getLock("held");
            Lease held = lock.acquire();
            CompletableFuture<Lease> wanted = lock.acquireAsync(
                            AcquireOptions.defaults().waitAtMost(Duration.ofMinutes(1)))
                    .toCompletableFuture();

            clock.advance(Duration.ofMillis(askedAfter - 1));
            assertThat(requests).isEqualTo(1);
            clock.advance(Duration.ofMillis(2));
            assertThat(requests).isGreaterThan(1);

            held.close();
            wanted.join().close();
        }
    }
}
