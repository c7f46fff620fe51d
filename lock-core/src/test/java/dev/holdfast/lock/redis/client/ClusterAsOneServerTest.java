package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.ContractKind;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LogLines;
import dev.holdfast.lock.testing.RedisCluster;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A cluster whose address is that of one server, as with the endpoint of a service or a proxy. */
@Timeout(120)
class ClusterAsOneServerTest {

    /** A user to whom the server does not say what it is. */
    private static final String USER = "not-told";

    private static final String PASSWORD = "secret";

    private static RedisServer server;
    private final RecordingListener listener = new RecordingListener();
    private final String name = Waits.name("one-server");

    @BeforeAll
    static void start() {
        server = RedisCluster.startOneServer("user " + USER + " on >" + PASSWORD + " ~* &* +@all -info");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void clear() {
        server.cli().flushall();
    }

    /** What the server says about itself. */
    enum Server {
        SAYS_WHAT_IT_IS,
        DOES_NOT;

        RedisURI uri() {
            return this == SAYS_WHAT_IT_IS ? server.uri() : server.uri(USER, PASSWORD);
        }
    }

    private RedisLockClientBuilder client(Server told) {
        return RedisLockClient.builder(RedisSource.of(told.uri()))
                .checkAtStart(false)
                .watchdogTimeout(TwoClients.WATCHDOG)
                .listener(listener);
    }

    private static LeaseLock lock(LockClient client, ContractKind kind, String name) {
        return kind.lock(client, kind.fit(name));
    }

    @ParameterizedTest
    @EnumSource
    void leasesInSeveralSlotsSurviveTheirRenewals(Server told) {
        try (LockClient client = client(told).build();
                LogLines log = LogLines.record()) {
            List<Lease> leases = Stream.of(
                            ContractKind.REENTRANT,
                            ContractKind.REENTRANT,
                            ContractKind.FAIR,
                            ContractKind.WRITE,
                            ContractKind.READ,
                            ContractKind.READ,
                            ContractKind.SEMAPHORE,
                            ContractKind.SEMAPHORE,
                            ContractKind.MULTI)
                    .map(kind -> lock(client, kind, Waits.name("one-server")).acquire(Waits.waiting(Waits.LONG)))
                    .toList();

            Await.until(
                    "three renewals of each",
                    Waits.LONG,
                    () -> client.statistics().renewals() >= 3L * leases.size());

            assertThat(leases).allMatch(Lease::isHeld).allMatch(Lease::verify);
            assertThat(client.statistics().renewalFailures()).isZero();
            assertThat(listener.losses).isEmpty();
            assertThat(log.lines().stream().filter(line -> line.contains("configured as one server")))
                    .hasSize(told == Server.DOES_NOT ? 1 : 0);
        }
    }

    @Test
    void firstTokenIsThatOfTheSlot() {
        try (LockClient client = client(Server.SAYS_WHAT_IT_IS).build()) {
            client.getLock(name).acquire().close();

            assertThat(server.cli().keys(LockKeys.TOKEN_KEY + "*"))
                    .isNotEmpty()
                    .allMatch(key -> key.startsWith(LockKeys.TOKEN_KEY + ":{"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void selfCheckSaysWhatIsWrongAndWhatToSet(Server told) {
        try (LockClient client = client(told).build()) {
            SelfCheck check = Waits.get(client.selfCheck().toCompletableFuture());

            assertThat(check.isUsable()).isTrue();
            assertThat(check.findings())
                    .extracting(SelfCheck.Finding::message)
                    .noneMatch(message -> message.contains("not confirmed"));
            assertThat(check.findings())
                    .extracting(SelfCheck.Finding::message)
                    .anyMatch(message -> message.contains("a cluster that is configured as one server")
                            && message.contains("RedisSource.cluster")
                            && message.contains("spring.data.redis.cluster.nodes"));
        }
    }

    @Test
    void clientThatIsConfiguredForTheClusterIsWokenByOneThatIsNot() {
        try (LockClient one = client(Server.SAYS_WHAT_IT_IS).build();
                LockClient other = RedisLockClient.builder(RedisSource.cluster(server.uri()))
                        .checkAtStart(false)
                        .pollInterval(Duration.ofMinutes(5))
                        .build()) {
            Lease lease = one.getLock(name).acquire();
            CompletableFuture<Lease> wanted = Waits.wanted(other, name);
            FairQueue queue = new FairQueue(server, name);
            queue.awaitLength(1);
            queue.awaitHearing();

            lease.close();

            Waits.get(wanted).close();
            assertThat(other.statistics().wakeUpsBySignal()).isPositive();
        }
    }

    @Test
    void severalNamesInSeveralSlotsAreRefusedWithTheFixUntilTheServerIsKnown() {
        try (LockClient client = client(Server.DOES_NOT).build()) {
            LeaseLock several = client.getMultiLock(List.of(name + "-a", name + "-b"));
            assertThatThrownBy(several::acquire).isInstanceOf(LockUnavailableException.class);
            assertThatThrownBy(several::acquire)
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("RedisSource.cluster")
                    .hasMessageContaining("one hash tag");

            client.getMultiLock(List.of(name + "-a", name + "-b")).acquire().close();
            client.getMultiLock(List.of("{" + name + "}a", "{" + name + "}b"))
                    .acquire()
                    .close();
        }
    }
}
