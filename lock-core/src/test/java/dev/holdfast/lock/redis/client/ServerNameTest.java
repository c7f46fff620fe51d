package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.SniEndpoint;
import dev.holdfast.lock.testing.TlsRedis;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A service that knows its databases by the name in the TLS handshake. */
@Timeout(Await.TEST_SECONDS)
class ServerNameTest {

    private static final ClientResources RESOURCES = SniEndpoint.resources();

    private static TlsRedis redis;
    private static SniEndpoint endpoint;

    @BeforeAll
    static void start() {
        redis = TlsRedis.start();
        endpoint = SniEndpoint.before(redis);
    }

    @AfterAll
    static void stop() {
        endpoint.close();
        redis.close();
        RESOURCES.shutdown(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private static RedisLockClientBuilder client(String host) {
        return RedisLockClient.builder(RedisSource.of(endpoint.uri(host))
                        .withOptions(endpoint.clientOptions())
                        .withResources(RESOURCES))
                .pollInterval(Duration.ofMinutes(5));
    }

    @Test
    void everyConnectionSaysTheName() {
        try (LockClient one = client(SniEndpoint.name()).build();
                LockClient other = client(SniEndpoint.name()).build()) {
            for (int i = 0; i < 2; i++) {
                if (i > 0) {
                    // Not before all are open: one that is closed in its handshake has said no name.
                    endpoint.closeConnections();
                }
                Lease held = Waits.held(one, "named");
                CompletableFuture<Lease> wanted = Waits.wanted(other, "named");
                Waits.awaitListeners(redis.server(), "named", 1);

                held.close();

                Waits.get(wanted).close();
            }
            assertThat(Waits.get(one.selfCheck().toCompletableFuture()).isUsable())
                    .isTrue();
            assertThat(endpoint.names()).hasSizeGreaterThanOrEqualTo(6).containsOnly("[" + SniEndpoint.name() + "]");
        }
    }

    /** The first is no name that a handshake says, the second an address. */
    @ParameterizedTest
    @ValueSource(strings = {"localhost", "127.0.0.1", "other.holdfast.test"})
    void missingOrWrongNameIsNamed(String host) {
        try (LockClient client = client(host).checkAtStart(false).build()) {
            // A wait that ends before the first handshake has only that to say.
            Await.until("the refusal names what to do", Await.PATIENCE, () -> {
                LockUnavailableException refused = catchThrowableOfType(
                        LockUnavailableException.class,
                        () -> client.getLock("named").acquire(Waits.waiting(Duration.ofSeconds(1))));
                return refused.getMessage().contains("connect to " + host)
                        && refused.getMessage().contains("SNI");
            });
        }
    }
}
