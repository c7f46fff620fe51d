package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.internal.inspect.ClientNames;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.redis.ClientAccess;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.fixture.LeastRights;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.VirtualClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client in use has a name in Redis; nothing waits for it, and it does not outlive the use by more than its lifetime. */
@Timeout(Await.TEST_SECONDS)
class ClientNameTest {

    /** Renewed at a third of it, on a clock that the test moves. */
    private static final Duration LIFETIME = Duration.ofMinutes(30);

    private final String name = Waits.name("named");
    private final VirtualClock clock = new VirtualClock();
    private final VirtualClock.Scheduler timers = clock.scheduler();

    @AutoClose
    private RedisServer server;

    @BeforeEach
    void start() {
        server = RedisServer.start();
    }

    private RedisLockClientBuilder client() {
        return ClientAccess.nameLifetime(Waits.client(server).clientName("orders/1"), LIFETIME)
                .clock(clock::now)
                .scheduler(timers)
                .commandTimeout(Await.PATIENCE)
                // Its renewals are not the subject.
                .watchdogTimeout(Duration.ofHours(20));
    }

    private List<String> keys() {
        return server.cli().keys(LockKeys.CLIENT_KEY + "*");
    }

    private void awaitKeys(int count) {
        Await.until(count + " clients are named", TwoClients.PATIENCE, () -> keys().size() == count);
    }

    @Test
    void clientThatHoldsIsNamedUntilItCloses() {
        try (LockClient client = client().build()) {
            assertThat(client.inspect(name)).isEmpty();
            assertThat(keys()).as("before its first lock").isEmpty();
            try (Lease lease = client.getLock(name).acquire()) {
                awaitKeys(1);
                String owner =
                        client.inspect(lease.lockName()).orElseThrow().holder().client();
                assertThat(keys()).containsExactly(LockKeys.CLIENT_KEY + owner);
                assertThat(server.cli().get(keys().get(0))).isEqualTo("orders/1");
                assertThat(server.cli().pttl(keys().get(0))).isBetween(1L, LIFETIME.toMillis());
            }
        }
        assertThat(keys()).as("after closing").isEmpty();
    }

    @Test
    void clientThatWaitsIsNamed() {
        server.cli().hset(name, "elsewhere:1", "1");
        server.cli().pexpire(name, 30_000);
        try (LockClient client = client().build()) {
            assertThat(client.getLock(name).tryLock()).isFalse();
            assertThat(keys()).as("after a try that does not wait").isEmpty();
            var wanted = Waits.wanted(client, name);
            awaitKeys(1);
            wanted.cancel(false);
        }
    }

    @Test
    void nameIsRenewedOrWrittenAgainWhileSomethingIsHeldAndNotAfterIt() {
        try (LockClient client = client().build()) {
            Lease lease = client.getLock(name).acquire();
            awaitKeys(1);
            String key = keys().get(0);
            server.cli().pexpire(key, LIFETIME.toMillis() / 2);
            awaitWhileTimePasses("the name is renewed", () -> server.cli().pttl(key) > LIFETIME.toMillis() / 2);
            server.cli().del(key);
            awaitWhileTimePasses("the name is back", () -> server.cli().exists(key) == 1);
            assertThat(lease.isHeld()).isTrue();

            lease.close();
            awaitWhileTimePasses("no renewal is planned", () -> timers.pending() == 0);
            server.cli().del(key);
            client.getLock(name).acquire().close();
            awaitKeys(1);
        }
    }

    /** Lets the time between two renewals pass until the condition holds. The answer to a renewal plans the next one. */
    private void awaitWhileTimePasses(String expectation, Callable<Boolean> condition) {
        Await.until(expectation, TwoClients.PATIENCE, () -> {
            clock.advance(LIFETIME.dividedBy(3));
            return condition.call();
        });
    }

    @Test
    void clientWithoutAGivenNameIsCalledAfterItsHostAndProcess() {
        try (LockClient client =
                        Waits.client(server).commandTimeout(Await.PATIENCE).build();
                Lease lease = client.getLock(name).acquire()) {
            awaitKeys(1);
            assertThat(server.cli().get(keys().get(0)))
                    .endsWith(":" + ProcessHandle.current().pid())
                    .hasSizeBetween(3, 200);
            assertThat(server.cli().pttl(keys().get(0))).isBetween(200_000L, 300_000L);
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @Test
    void userWhoMayNotNameItsClientLocksAllTheSame() {
        LeastRights.grant(server, LeastRights.USER, "~holdfast:client:*");
        try (LockClient client =
                LeastRights.client(server).commandTimeout(Await.PATIENCE).build()) {
            for (int i = 0; i < 20; i++) {
                client.getLock(name).acquire().close();
            }
            assertThat(keys()).isEmpty();
            assertThat(server.info("errorstats").get("errorstat_NOPERM"))
                    .as("not asked again for each lock")
                    .isEqualTo("count=1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "two\nlines", "bell\u0007", "line\u2028separator", "back\\slash"})
    void nameThatDoesNotFitOneLineIsRefused(String bad) {
        assertThatThrownBy(() -> client().clientName(bad))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'clientName'")
                .hasMessageNotContaining("\n");
    }

    @Test
    void nameOfMoreThanTwoHundredBytesIsRefused() {
        client().clientName("ü".repeat(100));
        assertThatThrownBy(() -> client().clientName("ü".repeat(101)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("200 bytes");
    }

    @Test
    void processIsNamedAfterItsApplicationWithAsMuchOfThatNameAsFits() {
        String process = ClientNames.ofThisProcess();
        assertThat(ClientNames.ofThisProcess("")).isEqualTo(process);
        assertThat(ClientNames.ofThisProcess(" orders ")).isEqualTo("orders@" + process);
        assertThat(ClientNames.check(ClientNames.ofThisProcess("a\\b\nc"))).isEqualTo("a?b?c@" + process);
        String cut = ClientNames.check(ClientNames.ofThisProcess("ü".repeat(300)));
        assertThat(cut.getBytes(StandardCharsets.UTF_8)).hasSizeBetween(199, 200);
        assertThat(cut).endsWith("ü@" + process);
    }
}
