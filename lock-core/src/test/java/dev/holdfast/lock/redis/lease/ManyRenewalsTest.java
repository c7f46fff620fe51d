package dev.holdfast.lock.redis.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.Pause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the renewals of many holds cost. */
@Timeout(60)
class ManyRenewalsTest extends CountedRenewals {

    @Test
    void manyShortHoldsLeaveNoRenewalBehind() throws Exception {
        int threads = 4;
        int holds = Boolean.getBoolean("holdfast.soak") ? 100_000 : 2_000;
        Duration lease = Duration.ofMillis(2_500);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try (LockClient client = client(lease)) {
            List<Future<?>> cycles = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                String own = name + thread;
                cycles.add(executor.submit(() -> {
                    for (int i = 0; i < holds / threads; i++) {
                        client.getLock(own).lock();
                        client.getLock(own).unlock();
                    }
                }));
            }
            for (Future<?> each : cycles) {
                each.get();
            }
            Lease held = client.getLock(name).acquire();
            server.resetStats();
            Pause.of(lease.multipliedBy(2));
            assertThat(scripts()).as("renewals of one lock in two leases").isBetween(4L, 8L);
            held.close();
            server.resetStats();
            Pause.of(lease);
            assertThat(scripts()).as("renewals of nothing").isZero();
        } finally {
            executor.shutdown();
        }
        assertThat(listener.losses).isEmpty();
        assertThat(listener.troubles).hasValue(0);
    }

    @Test
    void manyLocksAreRenewedInTimeByFewCommands() {
        int locks = Boolean.getBoolean("holdfast.soak") ? 10_000 : 2_000;
        Duration lease = Duration.ofSeconds(15);
        try (LockClient client = client(lease)) {
            List<Lease> leases = new ArrayList<>();
            while (leases.size() < locks) {
                leases.addAll(acquireNext(client, leases.size(), 250));
            }
            server.resetStats();
            Pause.of(lease.multipliedBy(2).dividedBy(3));
            long commands = scripts();
            assertThat(listener.losses).isEmpty();
            assertThat(leases).allMatch(Lease::isHeld);
            assertThat(server.cli().dbsize())
                    .as("locks, the token and the client's name")
                    .isEqualTo(locks + 2L);
            assertThat(commands)
                    .as("two rounds, a hundred locks to a command")
                    .isBetween(locks * 3 / 200L, locks * 7 / 200L);
        }
    }

    private List<Lease> acquireNext(LockClient client, int from, int count) {
        List<CompletionStage<Lease>> acquiring = IntStream.range(from, from + count)
                .mapToObj(i -> client.getLock(name + i).acquireAsync(AcquireOptions.defaults()))
                .toList();
        return acquiring.stream().map(each -> each.toCompletableFuture().join()).toList();
    }
}
