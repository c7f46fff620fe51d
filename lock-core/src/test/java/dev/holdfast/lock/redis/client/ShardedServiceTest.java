package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.ContractKind;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.ScriptTraffic;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.LogLines;
import dev.holdfast.lock.testing.ShardingProxy;
import dev.holdfast.lock.testing.ShardingProxy.Service;
import dev.holdfast.lock.testing.Strike;
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
import org.junit.jupiter.params.provider.EnumSource;

/** Services that spread their keys over several servers behind the address of one. */
@Timeout(120)
class ShardedServiceTest {

    private static final Map<Service, ShardingProxy> SERVICES = new EnumMap<>(Service.class);

    private final RecordingListener witness = new RecordingListener();

    @BeforeAll
    static void start() {
        Arrays.stream(Service.values()).forEach(service -> SERVICES.put(service, ShardingProxy.start(service)));
    }

    @AfterAll
    static void stop() {
        SERVICES.values().forEach(ShardingProxy::close);
    }

    private static RedisSource source(Service service) {
        return RedisSource.of(SERVICES.get(service).uri());
    }

    private RedisLockClientBuilder client(RedisSource source) {
        return RedisLockClient.builder(source)
                .checkAtStart(false)
                .watchdogTimeout(TwoClients.WATCHDOG)
                .listener(witness);
    }

    /** Leases of every kind, two of each, so that they are on both servers. */
    private static List<Lease> leases(LockClient client) {
        return Arrays.stream(ContractKind.values())
                .flatMap(kind -> IntStream.range(0, 2)
                        .mapToObj(i -> kind.lock(client, kind.fit(Waits.name("sharded")))
                                .acquire(Waits.waiting(Waits.LONG))))
                .toList();
    }

    private void assertTheySurviveTheirRenewals(LockClient client, List<Lease> leases) {
        long before = client.statistics().renewals();
        Await.until(
                "three renewals of each",
                Waits.LONG,
                () -> client.statistics().renewals() - before >= 3L * leases.size());
        assertThat(leases).allMatch(Lease::isHeld).allMatch(Lease::verify);
        assertThat(witness.losses).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void leasesOnSeveralServersSurviveTheirRenewals(Service service) {
        try (LockClient client = client(source(service)).build();
                LogLines log = LogLines.record()) {
            boolean refusesNothing = service == Service.ROUTES_BY_FIRST_KEY;
            assertTheySurviveTheirRenewals(client, leases(client));

            assertThat(client.statistics().renewalFailures()).isZero();
            assertThat(log.lines().stream().filter(line -> line.contains("configured as one server")))
                    .hasSize(refusesNothing ? 0 : 1);
            assertThat(log.lines().stream().filter(line -> line.contains("holdfast.separate-slots")))
                    .hasSize(refusesNothing ? 1 : 0);
        }
    }

    @Test
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
            assertTheySurviveTheirRenewals(one, leases(one));
            assertThat(log.lines().stream().filter(line -> line.contains("separate-slots")))
                    .isEmpty();
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
                assertThat(Waits.millisSince(released)).isLessThan(Waits.SOON_MILLIS);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void selfCheckSaysWhatItFound(Service service) {
        try (LockClient client = client(source(service)).build()) {
            SelfCheck check = Waits.get(client.selfCheck().toCompletableFuture());

            assertThat(check.isUsable()).isTrue();
            String fix = service == Service.ROUTES_BY_FIRST_KEY ? "holdfast.separate-slots" : "one hash tag";
            assertThat(check.findings())
                    .extracting(SelfCheck.Finding::message)
                    .anyMatch(message -> message.contains(fix));
        }
    }

    @Test
    void leasesSurviveThatIdleConnectionsAreClosed() {
        try (ShardingProxy service = ShardingProxy.start(Service.SAYS_IT_IS_ONE_SERVER, Duration.ofMillis(500));
                LockClient client = client(RedisSource.of(service.uri())).build()) {
            assertTheySurviveTheirRenewals(client, leases(client));
        }
    }

    /** The refusal shows that keys have slots, so the request would be repeated. Nobody wants it any more. */
    @Test
    void clientThatClosesBeforeItIsRefusedForItsKeysEndsWithTheAnswer() {
        ShardingProxy service = SERVICES.get(Service.SAYS_IT_IS_ONE_SERVER);
        try (FaultProxy proxy = FaultProxy.to(service.uri().getPort());
                LockClient client = client(RedisSource.of(proxy.uri()))
                        .commandTimeout(Waits.LONG)
                        .build()) {
            String name = Stream.generate(() -> Waits.name("closing"))
                    .filter(each -> service.shardOf(each) != service.shardOf(LockKeys.TOKEN_KEY))
                    .findFirst()
                    .orElseThrow();
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

    @Test
    void maintenanceThatClosesAllConnectionsCostsNoLeaseAndNoWaiter() {
        ShardingProxy service = SERVICES.get(Service.SAYS_IT_IS_ONE_SERVER);
        try (LockClient client = client(RedisSource.of(service.uri())).build();
                LockClient other = client(RedisSource.of(service.uri())).build()) {
            List<Lease> leases = leases(client);
            String name = Waits.name("maintained");
            Lease held = Waits.held(client, name);
            CompletableFuture<Lease> wanted = Waits.wanted(other, name);
            for (int i = 0; i < 5; i++) {
                service.closeConnections();
                Pause.of(Duration.ofMillis(200));
            }
            assertTheySurviveTheirRenewals(client, leases);

            held.close();

            Waits.get(wanted).close();
        }
    }
}
