package dev.holdfast.lock.redis.lease;

import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.name;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each token is greater than all before it, whoever draws it and whatever was lost in between. */
class FencingTest {

    @AutoClose
    private static RedisServer server;

    private static final String NAME = name("fenced");
    private final List<LockClient> clients = new ArrayList<>();
    private final List<Long> tokens = new ArrayList<>();

    @BeforeAll
    static void start() {
        server = RedisServer.start();
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
        try (Lease lease = held(client, NAME)) {
            tokens.add(lease.fencingToken());
        }
    }

    static Stream<Arguments> losses() {
        return Stream.<Map.Entry<String, Consumer<LockClient>>>of(
                        Map.entry("nothing but the lease", client -> {}),
                        Map.entry("the lock, by force", client -> client.forceRelease(NAME)),
                        Map.entry("the token's key", client -> server.cli().del(LockKeys.TOKEN_KEY)),
                        Map.entry("all data", client -> server.flushAll()),
                        Map.entry("all data, by a restart", client -> server.restart()),
                        Map.entry(
                                "the token, overwritten", client -> server.cli().set(LockKeys.TOKEN_KEY, "x")))
                .map(loss -> Arguments.of(loss.getKey(), loss.getValue()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("losses")
    void tokensOfClientsThatHaveSeenNoneGrowOverTheLossOf(String what, Consumer<LockClient> loss) {
        AcquireOptions briefly =
                AcquireOptions.defaults().lease(Duration.ofMillis(100)).waitAtMost(Waits.LONG);
        for (int i = 0; i < 6; i++) {
            LockClient client = newcomer();
            tokens.add(client.getLock(NAME).acquire(briefly).fencingToken());
            loss.accept(client);
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
