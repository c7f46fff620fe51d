package dev.holdfast.lock.redis.lease;

import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.name;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tokens and the clock of the server, whose microseconds they are drawn from. */
@Timeout(Await.TEST_SECONDS)
class TokenClockTest {

    @AutoClose
    private final RedisServer server = RedisServer.start();

    /** A newcomer's token after a loss of all data is greater only if no token has run ahead of the server's clock. */
    @ParameterizedTest
    @ValueSource(ints = {32, 999})
    void tokensOfManyGrantsDoNotRunAheadOfTheServersClock(int handOvers) throws Exception {
        try (LockClient busy = Waits.client(server)
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

    @Test
    void tokenFarAheadOfTheServersClockIsRefusedAndChangesNothing() {
        try (LockClient client = Waits.client(server).build();
                LockClient other = Waits.client(server).build()) {
            String name = Waits.name("far-ahead");
            assertRaiseIsRefused(client, name, Long.MAX_VALUE);
            assertRaiseIsRefused(client, name, (nowMicros() + TimeUnit.HOURS.toMicros(25)) * 1024)
                    .hasMessageMatching("(?s).*was PT2[45]H.* ahead.*");
            for (LockClient each : List.of(client, other)) {
                try (Lease lease = Waits.held(each, name)) {
                    assertThat(lease.fencingToken() / 1024).isCloseTo(nowMicros(), within(TimeUnit.HOURS.toMicros(1)));
                }
            }
        }
    }

    private static AbstractThrowableAssert<?, ?> assertRaiseIsRefused(LockClient client, String name, long token) {
        return assertThatThrownBy(
                        () -> Waits.get(client.raiseTokens(name, token).toCompletableFuture()))
                .hasCauseInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most PT24H ahead of the server's clock");
    }

    private static long nowMicros() {
        return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    }
}
