package dev.holdfast.lock.redis.lease;

import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.name;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A newcomer's token after a loss of all data is greater only if no token has run ahead of the server's clock. */
class TokenClockTest {

    @ParameterizedTest
    @ValueSource(ints = {32, 999})
    void tokensOfManyGrantsDoNotRunAheadOfTheServersClock(int handOvers) throws Exception {
        try (RedisServer server = RedisServer.start();
                LockClient busy = Waits.client(server)
                        .handOver(handOvers, Duration.ofMillis(250))
                        .build();
                LockClient newcomer = Waits.client(server).build()) {
            held(newcomer, name("other")).close();
            Semaphore room = new Semaphore(400);
            int grants = 4_000;
            long[] last = new long[1];
            for (int i = 0; i < grants; i++) {
                room.acquire();
                boolean isLast = i == grants - 1;
                busy.getLock("busy" + i)
                        .acquireAsync(Waits.waiting(Waits.LONG))
                        .thenCompose(lease -> {
                            if (isLast) {
                                last[0] = lease.fencingToken();
                            }
                            return lease.releaseAsync();
                        })
                        .whenComplete((done, thrown) -> room.release());
            }
            room.acquire(400);
            server.flushAll();
            try (Lease lease = held(newcomer, name("late"))) {
                assertThat(lease.fencingToken()).isGreaterThan(last[0]);
            }
        }
    }
}
