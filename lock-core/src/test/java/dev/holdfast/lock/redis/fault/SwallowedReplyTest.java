package dev.holdfast.lock.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.fixture.ClientOwner;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.ScriptTraffic;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.FaultProxy.Then;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.Strike;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Redis grants, and the reply is lost on its way. */
@Timeout(60)
class SwallowedReplyTest {

    private static final AcquireOptions PATIENT = AcquireOptions.defaults().waitAtMost(Duration.ofSeconds(20));

    private final RedisServer server = RedisServer.shared();
    private final FaultProxy proxy = FaultProxy.to(server.port());
    private final ScriptTraffic traffic = new ScriptTraffic(proxy);
    private final RecordingListener listener = new RecordingListener();
    private final String name = "swallowed-" + UUID.randomUUID() + "-";

    static Stream<Arguments> ways() {
        return Stream.of(ClientOwner.values())
                .flatMap(clientOwner ->
                        Stream.of(Then.CLOSE, Then.STAY_SILENT).map(then -> Arguments.of(clientOwner, then)));
    }

    @AfterEach
    void close() {
        proxy.close();
    }

    private LockClient client(ClientOwner.Opened clientOwner) {
        return RedisLockClient.builder(clientOwner.source())
                .checkAtStart(false)
                // Only a silent server needs it. On a busy machine an answer takes 150 ms, and then every command is a
                // fault.
                .commandTimeout(Duration.ofSeconds(1))
                .listener(listener)
                .build();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void acquisitionIsGrantedOnceWithinItsBudget(ClientOwner clientOwner, Then then) {
        try (ClientOwner.Opened opened = clientOwner.to(proxy.uri());
                LockClient client = client(opened)) {
            // A silence costs a command timeout each time.
            int rounds = then == Then.STAY_SILENT ? 3 : 10;
            for (int i = 0; i < rounds; i++) {
                String key = name + i;
                Strike swallowed = proxy.swallowReplyOf(ScriptTraffic.acquisitionOf(key), then);
                Lease lease = client.getLock(key).acquire(PATIENT);
                assertThat(swallowed.hasStruck()).isTrue();
                assertRedisNamesOneHolder(key, lease);
                lease.close();
                // A release whose answer takes longer than a command is repeated in the background.
                Await.until(
                        "no key is left",
                        TwoClients.PATIENCE,
                        () -> server.cli().exists(key) == 0);
            }
            assertThat(traffic.revived())
                    .as("acquisitions sent after their release")
                    .isEmpty();
            listener.assertNoTokenTwice();
            assertThat(listener.losses).isEmpty();
        }
    }

    private void assertRedisNamesOneHolder(String key, Lease lease) {
        Map<String, String> hash = server.cli().hgetall(key);
        assertThat(hash).hasSize(3).containsEntry("holdfast:token", Long.toString(lease.fencingToken()));
        assertThat(hash.entrySet())
                .filteredOn(field -> !field.getKey().startsWith("holdfast:"))
                .singleElement()
                .extracting(Map.Entry::getValue)
                .isEqualTo("1");
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aSingleTryFailsAndIsTakenBackLongBeforeItsLeaseEnds(ClientOwner clientOwner, Then then) {
        try (ClientOwner.Opened opened = clientOwner.to(proxy.uri());
                LockClient client = client(opened)) {
            Strike swallowed = proxy.swallowReplyOf(ScriptTraffic.acquisitionOf(name), then);

            assertThatThrownBy(() -> client.getLock(name).tryLock()).isInstanceOf(LockUnavailableException.class);

            swallowed.await();
            Await.until(
                    "the grant is taken back",
                    TwoClients.PATIENCE,
                    () -> server.cli().exists(name) == 0);
            assertThat(client.heldLocks()).isEmpty();
        }
    }
}
