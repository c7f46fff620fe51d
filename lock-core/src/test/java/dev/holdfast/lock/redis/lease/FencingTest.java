package dev.holdfast.lock.redis.lease;

import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.name;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each token is greater than all before it, whoever draws it and whatever was lost in between. */
class FencingTest {

    private static RedisServer server;

    private final String name = name("fenced");
    private final List<LockClient> clients = new ArrayList<>();
    private final List<Long> tokens = new ArrayList<>();

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void forget() {
        server.flushAll();
    }

    @AfterEach
    void close() {
        clients.forEach(LockClient::close);
        assertThat(tokens).hasSizeGreaterThan(5).isSorted().doesNotHaveDuplicates();
    }

    /** A client that has seen no token yet. */
    private LockClient newcomer() {
        LockClient client = Waits.client(server)
                .pollInterval(Duration.ofMillis(50))
                .commandTimeout(Duration.ofMillis(500))
                .build();
        clients.add(client);
        return client;
    }

    private void draw(LockClient client) {
        try (Lease lease = held(client, name)) {
            tokens.add(lease.fencingToken());
        }
    }

    @Test
    void tokensGrowOverOwnersAndClients() {
        List<LockClient> pair = List.of(newcomer(), newcomer());
        for (int i = 0; i < 200; i++) {
            draw(pair.get(i % 2));
        }
    }

    @Test
    void tokensGrowOverExpiry() {
        for (int i = 0; i < 6; i++) {
            Lease lease = newcomer()
                    .getLock(name)
                    .acquire(AcquireOptions.defaults()
                            .lease(Duration.ofMillis(20))
                            .waitAtMost(Waits.LONG));
            tokens.add(lease.fencingToken());
            Await.until("the lease's end", Duration.ofSeconds(5), () -> !lease.isHeld());
        }
    }

    @Test
    void tokensGrowOverForcedReleases() {
        for (int i = 0; i < 6; i++) {
            LockClient client = newcomer();
            tokens.add(held(client, name).fencingToken());
            assertThat(client.forceRelease(name)).isTrue();
        }
    }

    @Test
    void tokensGrowOverTheLossOfTheTokenKey() {
        for (int i = 0; i < 6; i++) {
            draw(newcomer());
            assertThat(server.cli().del(LockKeys.TOKEN_KEY)).isOne();
        }
    }

    @Test
    void tokensGrowOverTheLossOfAllData() {
        for (int i = 0; i < 6; i++) {
            draw(newcomer());
            server.flushAll();
        }
    }

    @Test
    void tokensGrowOverRestartsWithoutData() {
        LockClient old = newcomer();
        for (int i = 0; i < 3; i++) {
            draw(old);
            draw(newcomer());
            server.restart();
        }
    }

    @Test
    void tokenKeyThatSomebodyFilledWithNonsenseIsReplaced() {
        for (int i = 0; i < 6; i++) {
            draw(newcomer());
            server.cli().set(LockKeys.TOKEN_KEY, "nonsense");
        }
    }

    @Test
    void clientThatSawAHigherTokenThanTheServerRemembersDrawsAHigherOne() {
        LockClient old = newcomer();
        for (int i = 0; i < 6; i++) {
            // An hour ahead: the server's clock was set back after this.
            long ahead = System.currentTimeMillis() * 1_000 + 3_600_000_000L;
            server.cli().set(LockKeys.TOKEN_KEY, Long.toString(ahead));
            draw(old);
            server.flushAll();
        }
        draw(old);
    }
}
