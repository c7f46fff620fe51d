package dev.holdfast.lock.redis.composite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.composite.MultiLock;
import dev.holdfast.lock.composite.QuorumLock;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The minimum hold of a lock made of locks is kept by Redis, as that of any other lock. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
@Timeout(Await.TEST_SECONDS)
class CompositeMinHoldTest {

    private static final Duration WATCHDOG = Duration.ofSeconds(2);
    private static final Duration MIN_HOLD = Duration.ofSeconds(40);
    private static final AcquireOptions OPTIONS = AcquireOptions.defaults().minHold(MIN_HOLD);

    private final RedisServer server = RedisServer.shared();
    private final String random = "composite-min-hold-" + UUID.randomUUID() + "-";
    private final List<String> keys = List.of(random + "a", random + "b");
    private final List<LockClient> opened = new ArrayList<>();

    private LockClient client(String prefix) {
        LockClient client =
                Waits.client(server).watchdogTimeout(WATCHDOG).keyPrefix(prefix).build();
        opened.add(client);
        return client;
    }

    private LeaseLock several(LockClient client) {
        return MultiLock.of(keys.stream().map(client::getLock).toList());
    }

    @AfterEach
    void close() {
        opened.forEach(LockClient::close);
        server.cli().keys("*" + random + "*").forEach(server.cli()::del);
    }

    private Stream<Long> timesToLive() {
        return server.cli().keys("*" + random + "*").stream()
                .filter(key -> !key.contains("token"))
                .map(server.cli()::pttl);
    }

    /** Its client closes after the release, or over it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void lockStaysTakenAfterItsClientsClose(boolean isReleased) {
        LockClient client = client("");
        Lease lease = several(client).acquire(OPTIONS);
        // What Redis keeps for a holder of which it hears no more.
        assertThat(timesToLive()).hasSize(2).allMatch(left -> left > WATCHDOG.toMillis());
        if (isReleased) {
            lease.close();
        }
        client.close();
        assertThat(several(client("")).tryAcquire()).isEmpty();
        assertThat(timesToLive()).hasSize(2).allMatch(left -> left > WATCHDOG.toMillis());
    }

    @Test
    void quorumStaysTakenAfterItsReleaseAndItsClientsClose() {
        List<LockClient> clients = Stream.of("1-", "2-", "3-").map(this::client).toList();
        QuorumLock.of(random + "q", clients).acquire(OPTIONS).close();
        clients.forEach(LockClient::close);
        List<LockClient> others = Stream.of("1-", "2-", "3-").map(this::client).toList();
        assertThat(QuorumLock.of(random + "q", others).tryAcquire()).isEmpty();
    }

    @Test
    void partThatIsGivenBackBecauseAnotherWasBusyIsFreeAtOnce() {
        LockClient client = client("");
        client.getLock(keys.get(1)).acquire();
        assertThat(several(client).tryAcquire(OPTIONS)).isEmpty();
        assertThat(client.getLock(keys.get(0)).tryAcquire()).isPresent();
    }
}
