package dev.holdfast.lock.redis.waiting;

import static dev.holdfast.lock.redis.fixture.Waits.name;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.CriticalSection;
import dev.holdfast.lock.redis.fixture.ScriptTraffic;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ten clients that want one lock all the time. */
@Timeout(120)
class FleetTest {

    private static final int CLIENTS = 10;
    private static final int TURNS = 1_000;

    @Test
    void acquisitionTakesTwoScriptsAndEachClientHasItsShare() throws Exception {
        try (RedisServer server = RedisServer.start();
                FaultProxy proxy = FaultProxy.to(server.port())) {
            ScriptTraffic traffic = new ScriptTraffic(proxy);
            String name = name("fleet");
            List<LockClient> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(Waits.client(proxy).build());
            }
            AtomicBoolean end = new AtomicBoolean();
            AtomicIntegerArray turns = new AtomicIntegerArray(CLIENTS);
            List<CompletableFuture<Void>> threads = IntStream.range(0, CLIENTS)
                    .mapToObj(i -> CompletableFuture.runAsync(
                            () -> compete(clients.get(i).getLock(name), end, turns, i), CriticalSection::onThread))
                    .toList();
            Await.until("all take part", Duration.ofSeconds(60), () -> least(turns) >= 3);
            int scriptsBefore = traffic.acquisitions() + traffic.releases();
            int[] before = IntStream.range(0, CLIENTS).map(turns::get).toArray();
            Await.until(
                    TURNS + " turns",
                    Duration.ofSeconds(60),
                    () -> sum(turns) - IntStream.of(before).sum() >= TURNS);
            int[] shares = IntStream.range(0, CLIENTS)
                    .map(i -> turns.get(i) - before[i])
                    .toArray();
            int scripts = traffic.acquisitions() + traffic.releases() - scriptsBefore;
            int acquired = IntStream.of(shares).sum();
            end.set(true);
            CompletableFuture.allOf(threads.toArray(CompletableFuture<?>[]::new))
                    .get(60, TimeUnit.SECONDS);
            clients.forEach(LockClient::close);

            assertThat((double) scripts / acquired).as("scripts an acquisition").isLessThanOrEqualTo(2.5);
            double mean = (double) acquired / CLIENTS;
            assertThat(IntStream.of(shares).boxed())
                    .as("turns of each")
                    .allMatch(share -> share >= 0.9 * mean && share <= 1.1 * mean);
        }
    }

    private static void compete(LeaseLock lock, AtomicBoolean end, AtomicIntegerArray turns, int number) {
        while (!end.get()) {
            lock.lock();
            turns.incrementAndGet(number);
            lock.unlock();
        }
    }

    private static int least(AtomicIntegerArray turns) {
        return IntStream.range(0, CLIENTS).map(turns::get).min().orElseThrow();
    }

    private static int sum(AtomicIntegerArray turns) {
        return IntStream.range(0, CLIENTS).map(turns::get).sum();
    }
}
