package dev.holdfast.lock.redis.lease;

import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.name;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Fifty threads of each of two clients write to registers that refuse a token smaller than the greatest they have seen. */
class FencedRegisterTest {

    private static final int THREADS = 50;
    private static final int ROUNDS = 60;
    private static final int NAMES = 3;

    private final Map<String, Long> registers = new ConcurrentHashMap<>();
    private final Set<Long> tokens = ConcurrentHashMap.newKeySet();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger twice = new AtomicInteger();

    @Test
    void registerNeverRefusesTheRightfulHolderAndNoTokenComesTwice() throws Exception {
        List<String> names = List.of(name("a"), name("b"), name("c"));
        RedisServer server = RedisServer.shared();
        ExecutorService threads = Executors.newFixedThreadPool(2 * THREADS);
        try (LockClient one = Waits.client(server)
                        .pollInterval(Duration.ofMillis(200))
                        .build();
                LockClient other = Waits.client(server)
                        .pollInterval(Duration.ofMillis(200))
                        .build()) {
            List<Future<?>> working = new ArrayList<>();
            for (int i = 0; i < 2 * THREADS; i++) {
                LockClient client = i % 2 == 0 ? one : other;
                int first = i;
                working.add(threads.submit(() -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        write(client, names.get((first + round) % NAMES));
                    }
                }));
            }
            for (Future<?> each : working) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(refused).hasValue(0);
        assertThat(twice).hasValue(0);
        assertThat(tokens).hasSize(2 * THREADS * ROUNDS);
    }

    private void write(LockClient client, String name) {
        try (Lease lease = held(client, name)) {
            long token = lease.fencingToken();
            twice.addAndGet(tokens.add(token) ? 0 : 1);
            Long before = registers.get(name);
            if (before != null && before > token) {
                refused.incrementAndGet();
            }
            // Not one step with the comparison: only the lock keeps others from coming in between.
            Thread.yield();
            registers.put(name, token);
        }
    }
}
