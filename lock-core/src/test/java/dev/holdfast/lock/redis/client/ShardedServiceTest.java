package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.proxy.Strike;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.ContractKind;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.ScriptTraffic;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LogLines;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisCluster;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.ShardingProxy;
import dev.holdfast.lock.testing.ShardingProxy.Service;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Services that spread their keys over several servers behind the address of one: a cluster that is configured as one server, with and without the
 * right to say what it is, and what {@link ShardingProxy} does.
 */
@Timeout(Await.TEST_SECONDS)
class ShardedServiceTest {

    private static final String USER = "not-told";
    private static final String PASSWORD = "secret";
    private static final Map<Service, ShardingProxy> SERVICES = new EnumMap<>(Service.class);

    private static RedisServer cluster;

    private final RecordingListener witness = new RecordingListener();

    @BeforeAll
    static void start() {
        Arrays.stream(Service.values()).forEach(service -> SERVICES.put(service, ShardingProxy.start(service)));
        cluster = RedisCluster.startOneServer("user " + USER + " on >" + PASSWORD + " ~* &* +@all -info");
    }

    @AfterAll
    static void stop() {
        SERVICES.values().forEach(ShardingProxy::close);
        cluster.close();
    }

    private static RedisSource source(Service service) {
        return RedisSource.of(SERVICES.get(service).uri());
    }

    private static RedisSource clusterThatDoesNotSaySo() {
        return RedisSource.of(cluster.uri(USER, PASSWORD));
    }

    private static RedisSource clusterThatSaysSo() {
        return RedisSource.of(cluster.uri());
    }

    private RedisLockClientBuilder client(RedisSource source) {
        return Waits.client(source).watchdogTimeout(TwoClients.WATCHDOG).listener(witness);
    }

    /** Leases of every kind, two of each, so that they are on both servers. */
    private static List<Lease> leases(LockClient client) {
        return Arrays.stream(ContractKind.values())
                .flatMap(kind -> IntStream.range(0, 2)
                        .mapToObj(i -> kind.lock(client, kind.fit(Waits.name("sharded")))
                                .acquire(Waits.waiting(Waits.LONG))))
                .toList();
    }

    private void assertTheySurviveTheirRenewals(LockClient client, List<Lease> leases, long before) {
        Await.until(
                "three renewals of each",
                Waits.LONG,
                () -> client.statistics().renewals() - before >= 3L * leases.size());
        assertThat(leases).allMatch(Lease::isHeld).allMatch(Lease::verify);
        assertThat(witness.losses).isEmpty();
    }

    private static long lines(LogLines log, String text) {
        return log.lines().stream().filter(line -> line.contains(text)).count();
    }

    @Test
    @Nightly(
            inEachBuild =
                    "ShardedServiceLockTest at night; in each build the self-check of each service, its tokens and its messages")
    void leasesOnSeveralServersSurviveTheirRenewalsAndEachServiceIsNamedOnce() {
        List<LockClient> clients = findings()
                .<LockClient>map(each -> client((RedisSource) each.get()[0]).build())
                .toList();
        try (LogLines log = LogLines.record()) {
            List<List<Lease>> leases =
                    clients.stream().map(ShardedServiceTest::leases).toList();
            for (int i = 0; i < clients.size(); i++) {
                // All clients renew at the same time.
                assertTheySurviveTheirRenewals(clients.get(i), leases.get(i), 0);
                assertThat(clients.get(i).statistics().renewalFailures()).isZero();
            }
            // Not of the cluster that says what it is.
            assertThat(lines(log, "configured as one server")).isEqualTo(3);
            assertThat(lines(log, "holdfast.separate-slots")).isEqualTo(1);
        } finally {
            clients.forEach(LockClient::close);
        }
    }

    static Stream<Arguments> findings() {
        String[] cluster = {
            "a cluster that is configured as one server", "RedisSource.cluster", "spring.data.redis.cluster.nodes"
        };
        String[] slots = {"one hash tag"};
        return Stream.of(
                Arguments.of(clusterThatSaysSo(), cluster),
                Arguments.of(clusterThatDoesNotSaySo(), cluster),
                Arguments.of(source(Service.SAYS_IT_IS_ONE_SERVER), slots),
                Arguments.of(source(Service.LOSES_MESSAGES), slots),
                Arguments.of(source(Service.ROUTES_BY_FIRST_KEY), new String[] {"holdfast.separate-slots"}));
    }

    @ParameterizedTest
    @MethodSource("findings")
    void selfCheckSaysWhatItFoundAndWhatToSet(RedisSource source, String[] found) {
        try (LockClient client = client(source).build()) {
            SelfCheck check = Waits.get(client.selfCheck().toCompletableFuture());
            assertThat(check.isUsable()).isTrue();
            assertThat(check.findings())
                    .extracting(SelfCheck.Finding::message)
                    .anySatisfy(message -> assertThat(message).contains(found));
        }
    }

    @Test
    void firstTokenIsThatOfTheSlot() {
        cluster.cli().flushall();
        try (LockClient client = client(clusterThatSaysSo()).build()) {
            Waits.held(client, "any").close();
            assertThat(cluster.cli().keys(LockKeys.TOKEN_KEY + "*"))
                    .isNotEmpty()
                    .allMatch(key -> key.startsWith(LockKeys.TOKEN_KEY + ":{"));
        }
    }

    @Test
    void clientThatIsConfiguredForTheClusterIsWokenByOneThatIsNot() {
        String name = Waits.name("one-server");
        try (LockClient one = client(clusterThatSaysSo()).build();
                LockClient other = client(RedisSource.cluster(cluster.uri()))
                        .pollInterval(Duration.ofMinutes(5))
                        .build()) {
            assertWokenByAMessage(one, other, new FairQueue(cluster, name));
        }
    }

    @Test
    void severalNamesInSeveralSlotsAreRefusedWithTheFixUntilTheServerIsKnown() {
        String name = Waits.name("one-server");
        try (LockClient client = client(clusterThatDoesNotSaySo()).build()) {
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

    @Test
    @Nightly(
            inEachBuild =
                    "ShardedServiceLockTest at night; in each build the self-check of each service, its tokens and its messages")
    void settingMakesSeveralNamesOnSeveralServersOneLock() {
        RedisSource separate = source(Service.ROUTES_BY_FIRST_KEY).withSeparateSlots();
        try (LockClient one = client(separate).build();
                LockClient other = client(separate).build();
                LogLines log = LogLines.record()) {
            for (int i = 0; i < 4; i++) {
                List<String> names = List.of(Waits.name("a"), Waits.name("b"));
                try (Lease held = one.getMultiLock(names).acquire()) {
                    assertThat(names)
                            .noneMatch(name -> other.getLock(name)
                                    .tryAcquire(Waits.waiting(Duration.ZERO))
                                    .isPresent());
                    assertThat(held.verify()).isTrue();
                }
            }
            assertTheySurviveTheirRenewals(one, leases(one), one.statistics().renewals());
            assertThat(one.statistics().renewalFailures()).isZero();
            assertThat(lines(log, "separate-slots")).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void waiterGetsTheLockSoonAfterItsRelease(Service service) {
        Duration poll = service == Service.SAYS_IT_IS_ONE_SERVER ? Duration.ofMinutes(5) : Duration.ofSeconds(1);
        try (LockClient one = client(source(service)).build();
                LockClient other = client(source(service)).pollInterval(poll).build()) {
            one.selfCheck().toCompletableFuture().join();
            other.selfCheck().toCompletableFuture().join();
            for (ContractKind kind : List.of(ContractKind.REENTRANT, ContractKind.FAIR, ContractKind.READ)) {
                String name = Waits.name("sharded");
                Lease held = kind.lock(one, name).acquire();
                CompletableFuture<Lease> wanted = kind.excluding(other, name)
                        .acquireAsync(Waits.waiting(Waits.LONG))
                        .toCompletableFuture();
                TwoClients.awaitWaiters(other, name, 1);

                long released = System.nanoTime();
                held.close();

                Waits.get(wanted).close();
                Waits.assertSoon(released, Duration.ofSeconds(1));
            }
        }
    }

    /** As soon as keys have slots, releases are announced on another channel. */
    @Test
    void waiterWhoseFirstRequestShowsThatKeysHaveSlotsIsWokenByAMessage() {
        ShardingProxy service = SERVICES.get(Service.SAYS_IT_IS_ONE_SERVER);
        String name = apartFromTokens(service, "first-request");
        try (LockClient one = client(RedisSource.of(service.uri())).build();
                LockClient other = client(RedisSource.of(service.uri()))
                        .checkAtStart(false)
                        .pollInterval(Duration.ofMinutes(5))
                        .build()) {
            assertWokenByAMessage(one, other, new FairQueue(service.shardOf(name), name));
        }
    }

    private static void assertWokenByAMessage(LockClient holder, LockClient waiter, FairQueue queue) {
        Lease held = holder.getLock(queue.name()).acquire();
        CompletableFuture<Lease> wanted = Waits.wanted(waiter, queue.name());
        queue.awaitLength(1);
        queue.awaitHearing();

        held.close();

        Waits.get(wanted).close();
        assertThat(waiter.statistics().wakeUpsBySignal()).isPositive();
    }

    /** Returns a name that no script for one server can use there. */
    private static String apartFromTokens(ShardingProxy service, String prefix) {
        return Stream.generate(() -> Waits.name(prefix))
                .filter(each -> service.shardOf(each) != service.shardOf(LockKeys.TOKEN_KEY))
                .findFirst()
                .orElseThrow();
    }

    /** The refusal shows that keys have slots, so the request would be repeated. Nobody wants it any more. */
    @Test
    void clientThatClosesBeforeItIsRefusedForItsKeysEndsWithTheAnswer() {
        ShardingProxy service = SERVICES.get(Service.SAYS_IT_IS_ONE_SERVER);
        try (FaultProxy proxy = FaultProxy.to(service.uri().getPort());
                LockClient client = client(RedisSource.of(proxy.uri()))
                        .commandTimeout(Waits.LONG)
                        .build()) {
            String name = apartFromTokens(service, "closing");
            Strike held = proxy.swallowReplyOf(ScriptTraffic.acquisitionOf(name), FaultProxy.Then.HOLD);
            CompletableFuture<Lease> wanted = Waits.wanted(client, name);
            held.await();
            CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> client.close(Duration.ZERO));
            assertThatThrownBy(wanted::join).hasMessageContaining("closed");

            proxy.heal();

            assertThat(closing).succeedsWithin(Waits.LONG.dividedBy(3));
            assertThat(service.shardOf(name).cli().exists(name)).isZero();
        }
    }
}
