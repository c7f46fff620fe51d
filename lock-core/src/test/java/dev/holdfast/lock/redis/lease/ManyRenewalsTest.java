package dev.holdfast.lock.redis.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the renewals of many holds cost. */
@Timeout(Await.TEST_SECONDS)
class ManyRenewalsTest {

    @AutoClose
    private final RedisServer server = RedisServer.start();

    private final RecordingListener listener = new RecordingListener();
    private final String name = Waits.name("renewal");

    @Test
    void manyLocksAreRenewedInTimeByFewCommands() {
        int locks = Nightly.Night.isOn() ? 10_000 : 1_000;
        Duration lease = Duration.ofSeconds(6);
        try (LockClient client =
                Waits.client(server).watchdogTimeout(lease).listener(listener).build()) {
            List<Lease> leases = new ArrayList<>();
            while (leases.size() < locks) {
                leases.addAll(acquireNext(client, leases.size(), 250));
            }
            server.resetStats();
            long before = client.statistics().renewals();
            Await.until("two rounds", Waits.LONG, () -> client.statistics().renewals() - before >= 2L * locks);
            long commands = Waits.scripts(server);
            long renewals = client.statistics().renewals() - before;
            assertThat(listener.losses).isEmpty();
            assertThat(leases).allMatch(Lease::isHeld);
            assertThat(server.cli().dbsize())
                    .as("locks, the token and the client's name")
                    .isEqualTo(locks + 2L);
            assertThat(renewals / commands)
                    .as("locks to a command, of a hundred")
                    .isGreaterThan(57);
        }
    }

    @Test
    void oneRenewalTellsAllHoldersOfOneNameThatItIsGone() {
        int permits = 3;
        try (LockClient client = Waits.client(server)
                .watchdogTimeout(Duration.ofSeconds(3))
                .listener(listener)
                .build()) {
            List<Lease> leases = Stream.generate(
                            () -> client.getSemaphore(name, permits).acquire())
                    .limit(permits)
                    .toList();
            Await.until("the first round", Waits.LONG, () -> client.statistics().renewals() == permits);
            server.cli().del(name);
            server.resetStats();

            listener.awaitLosses(permits);

            assertThat(Waits.scripts(server)).isEqualTo(1);
            assertThat(leases).noneMatch(Lease::isHeld);
        }
    }

    private List<Lease> acquireNext(LockClient client, int from, int count) {
        List<CompletionStage<Lease>> acquiring = IntStream.range(from, from + count)
                .mapToObj(i -> client.getLock(name + i).acquireAsync(Waits.waiting(Waits.LONG)))
                .toList();
        return acquiring.stream().map(each -> each.toCompletableFuture().join()).toList();
    }
}
