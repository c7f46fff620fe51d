package dev.holdfast.lock.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.redis.fixture.ContractKind;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server whose memory is full, and that evicts nothing. */
@Timeout(Await.TEST_SECONDS)
class FullServerTest {

    @AutoClose
    private final RedisServer server = RedisServer.start("maxmemory-policy noeviction");

    private final List<LockClient> opened = new ArrayList<>();
    private final RecordingListener witness = new RecordingListener();

    @AfterEach
    void close() {
        opened.forEach(LockClient::close);
    }

    private LockClient client() {
        LockClient client = Waits.client(server)
                .watchdogTimeout(TwoClients.WATCHDOG)
                .listener(witness)
                .build();
        opened.add(client);
        return client;
    }

    @Test
    void holdersGoOnWaitersAreToldWhyAndEverythingGoesOnWhenThereIsMemory() {
        LockClient holders = client();
        LockClient others = client();
        List<String> names = new ArrayList<>();
        List<Lease> leases = new ArrayList<>();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (ContractKind kind : ContractKind.values()) {
            String name = kind.fit(Waits.name("full"));
            names.add(name);
            leases.add(kind.lock(holders, name).acquire());
            waiting.add(kind.excluding(others, name)
                    .acquireAsync(Waits.waiting(Waits.LONG))
                    .toCompletableFuture());
        }
        Await.until("all wait", Waits.LONG, () -> others.waitingLocks().size() >= names.size());
        // No command may take memory any more.
        server.cli().configSet("maxmemory", "1");

        Waits.awaitRenewals(holders, 3 * leases.size());
        LockUnavailableException refused = catchThrowableOfType(
                LockUnavailableException.class,
                () -> others.getLock(Waits.name("new")).acquire(Waits.waiting(Duration.ofMillis(300))));
        assertThat(refused).hasMessageContaining("OOM");
        assertThat(client().getLock(names.get(0)).tryAcquire(Waits.waiting(Duration.ZERO)))
                .as("busy is no failure")
                .isEmpty();
        assertThat(leases).allMatch(Lease::isHeld);
        leases.forEach(Lease::close);
        assertThat(holders.heldLocks()).isEmpty();

        server.cli().configSet("maxmemory", "0");
        waiting.forEach(wanted -> Waits.get(wanted).close());
        assertThat(witness.losses).isEmpty();
        assertThat(server.cli().keys("*"))
                .filteredOn(key -> server.cli().pttl(key) == -1)
                .containsExactly(LockKeys.TOKEN_KEY);
    }
}
