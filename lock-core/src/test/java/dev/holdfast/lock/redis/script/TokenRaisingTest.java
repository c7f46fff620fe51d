package dev.holdfast.lock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A token is a clock value: one that no clock can have shown raises nothing. */
@Timeout(60)
class TokenRaisingTest {

    private final RedisServer server = RedisServer.start();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void tokenFarAheadOfTheServersClockIsRefusedAndChangesNothing() {
        try (LockClient client = Waits.client(server).build();
                LockClient other = Waits.client(server).build()) {
            String name = Waits.name("far-ahead");
            for (long token : new long[] {Long.MAX_VALUE, (nowMicros() + TimeUnit.HOURS.toMicros(25)) * 1024}) {
                assertThatThrownBy(
                                () -> Waits.get(client.raiseTokens(name, token).toCompletableFuture()))
                        .hasCauseInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("at most PT24H ahead of the server's clock");
            }
            for (LockClient each : List.of(client, other)) {
                try (Lease lease = Waits.held(each, name)) {
                    assertThat(lease.fencingToken() / 1024).isCloseTo(nowMicros(), within(TimeUnit.HOURS.toMicros(1)));
                }
            }
        }
    }

    @Test
    void tokenOfAServerWhoseClockIsHoursAheadIsAccepted() {
        try (LockClient client = Waits.client(server).build()) {
            String name = Waits.name("ahead");
            long token = (nowMicros() + TimeUnit.HOURS.toMicros(23)) * 1024;
            Waits.get(client.raiseTokens(name, token).toCompletableFuture());
            try (Lease lease = Waits.held(client, name)) {
                assertThat(lease.fencingToken()).isGreaterThan(token);
            }
        }
    }

    private static long nowMicros() {
        return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    }
}
