package dev.holdfast.lock.redis.semaphore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseSemaphore;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockStatistics;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.ScriptTraffic;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.redis.semaphore.PermitLedger.Entry;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.FaultProxy.Then;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.RedisServer.ClientType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Many permits from several clients while the network breaks, the server stops, holders die and the number changes: never one too many, and none is
 * lost for good. The nightly build has a small run. The long one:
 *
 * <pre>{@code ./mvnw test -pl lock-core -Pnightly -Dtest=PermitRunTest -Dpermits.total=1000000}</pre>
 */
@Tag("nightly")
class PermitRunTest {

    private static final int TOTAL = Integer.getInteger("permits.total", 5_000);
    private static final int LONG_RUN = 100_000;
    private static final Duration LONGEST = Duration.ofSeconds(Integer.getInteger("permits.seconds", 3_000));
    private static final int[] NUMBERS = {4, 2, 3};
    private static final int EACH_NUMBER = Math.max(1_000, TOTAL / 20);
    private static final int CLIENTS = 6;
    private static final int THREADS_OF_EACH = 6;
    private static final Duration WATCHDOG = Duration.ofSeconds(2);

    private final RedisServer server = RedisServer.start();
    private final FaultProxy proxy = FaultProxy.to(server.port());
    private final Map<String, PermitLedger> ledgers =
            Map.of("a", new PermitLedger(), "b", new PermitLedger(), "fair", new PermitLedger());
    private final long began = System.nanoTime();
    private final AtomicLong taken = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    private final AtomicLong abandoned = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicBoolean over = new AtomicBoolean();
    private final Map<String, Integer> faults = new ConcurrentHashMap<>();

    @Test
    @Timeout(3_600)
    void noPermitIsOneTooManyWhateverBreaks() throws Exception {
        List<LockClient> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            // Two thirds of the clients are behind the faulty network.
            clients.add(RedisLockClient.builder(RedisSource.of(i % 3 == 0 ? server.uri() : proxy.uri()))
                    .checkAtStart(false)
                    .watchdogTimeout(WATCHDOG)
                    .commandTimeout(Duration.ofMillis(300))
                    // Half of the clients give every permit back to Redis.
                    .handOver(i % 2 == 0 ? 0 : 32, Duration.ofMillis(250))
                    .build());
        }
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < CLIENTS * THREADS_OF_EACH; i++) {
            LockClient client = clients.get(i % CLIENTS);
            threads.add(begun(() -> work(client)));
        }
        Thread chaos = begun(this::breakThings);
        for (Thread thread : threads) {
            thread.join();
        }
        over.set(true);
        chaos.join();
        double seconds = Waits.millisSince(began) / 1000.0;
        System.out.println(report(clients, seconds));

        ledgers.forEach((name, ledger) -> {
            assertThat(ledger.violations()).as(name).isEmpty();
            if (TOTAL >= LONG_RUN) {
                // Otherwise the run could not have seen one too many. A short one may not come to that.
                assertThat(ledger.most()).as("most of " + name).isEqualTo(NUMBERS[0]);
            }
            Await.until(
                    "all permits of " + name + " are free",
                    Duration.ofSeconds(20),
                    () -> clients.get(0).getSemaphore(name, 4).availablePermits() == 4);
        });
        clients.forEach(LockClient::close);
        proxy.close();
        server.close();
    }

    private static Thread begun(Runnable work) {
        Thread thread = new Thread(work, "permit-run");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private String report(List<LockClient> clients, double seconds) {
        List<LockStatistics> all = clients.stream().map(LockClient::statistics).toList();
        return "permits "
                + ledgers.values().stream().mapToInt(PermitLedger::size).sum() + " in " + seconds + " s, most at once "
                + ledgers.values().stream().map(PermitLedger::most).toList() + ", too many "
                + ledgers.values().stream()
                        .mapToInt(ledger -> ledger.violations().size())
                        .sum() + ", lost " + lost
                + ", abandoned " + abandoned + ", refused " + refused + ", handed over in memory "
                + all.stream().mapToLong(LockStatistics::handOvers).sum() + ", granted by messages "
                + all.stream().mapToLong(LockStatistics::wakeUpsBySignal).sum() + ", faults " + new TreeMap<>(faults);
    }

    private void work(LockClient client) {
        while (true) {
            long mine = taken.get();
            if (mine >= TOTAL || System.nanoTime() - began > LONGEST.toNanos()) {
                return;
            }
            // All change over at about the same moment, as a fleet does that is restarted one by one.
            int number = NUMBERS[(int) (mine / EACH_NUMBER % NUMBERS.length)];
            ThreadLocalRandom random = ThreadLocalRandom.current();
            boolean fair = random.nextInt(3) == 0;
            String name = fair ? "fair" : random.nextBoolean() ? "a" : "b";
            boolean dies = random.nextInt(4_000) == 0;
            AcquireOptions options =
                    AcquireOptions.defaults().waitAtMost(Duration.ofMillis(random.nextInt(50) == 0 ? 5 : 5_000));
            if (dies) {
                options = options.lease(Duration.ofMillis(300));
            }
            LeaseSemaphore semaphore = fair ? client.getFairSemaphore(name, number) : client.getSemaphore(name, number);
            try {
                Optional<Lease> lease = semaphore.tryAcquire(options);
                if (lease.isPresent()) {
                    taken.incrementAndGet();
                    hold(lease.get(), ledgers.get(name), number, dies);
                } else {
                    refused.incrementAndGet();
                }
            } catch (LockException unavailable) {
                refused.incrementAndGet();
            }
        }
    }

    private void hold(Lease lease, PermitLedger ledger, int number, boolean dies) {
        long start = System.nanoTime();
        long surely = start + lease.remaining().toNanos();
        // Long beside a round trip: a permit that is one too many is seen only while the others are held.
        LockSupport.parkNanos(
                TimeUnit.MICROSECONDS.toNanos(ThreadLocalRandom.current().nextInt(500)));
        long end = System.nanoTime();
        boolean valid = lease.isHeld();
        ledger.add(new Entry(start, valid || end - surely < 0 ? end : surely, number, lease.fencingToken()));
        if (dies) {
            // Never released: its lease must end by itself.
            abandoned.incrementAndGet();
            return;
        }
        try {
            lease.close();
        } catch (LockException | IllegalMonitorStateException over) {
            lost.incrementAndGet();
        }
    }

    private void breakThings() {
        Random random = new Random(19);
        while (!over.get()) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100 + random.nextInt(500)));
            int kind = random.nextInt(24);
            Runnable fault = switch (kind) {
                case 0, 1 -> named("reset", proxy::resetConnections);
                case 2, 3 -> named("close", proxy::closeConnections);
                case 4, 5, 6 -> swallowed("semaphore-acquire", random);
                case 7, 8, 9 -> swallowed("semaphore-release", random);
                case 10, 11 -> swallowed("semaphore-renew", random);
                case 12, 13 -> lasting("messages lost", () -> proxy.dropPushes(frame -> frame.isNamed("MESSAGE")), 300);
                case 14 -> lasting("black hole", proxy::blackHole, 100 + random.nextInt(600));
                case 15, 16 -> lasting("held back", proxy::holdBack, 100 + random.nextInt(600));
                case 17 -> lasting("delayed", () -> proxy.delay(Duration.ofMillis(20)), 300);
                case 18 -> named("subscriptions killed", () -> server.clientKill(ClientType.PUBSUB));
                case 19, 20, 21 -> named("scripts flushed", server::scriptFlush);
                default -> named("server stopped", () -> stop(random.nextInt(8) == 0 ? 2_500 : 200));
            };
            fault.run();
        }
        proxy.heal();
    }

    private Runnable named(String name, Runnable fault) {
        return () -> {
            faults.merge(name, 1, Integer::sum);
            fault.run();
        };
    }

    private Runnable swallowed(String script, Random random) {
        Then then = List.of(Then.CLOSE, Then.RESET).get(random.nextInt(2));
        return named("answer lost to " + script, () -> proxy.swallowReplyOf(ScriptTraffic.of(script), then));
    }

    private Runnable lasting(String name, Runnable fault, int millis) {
        return named(name, () -> {
            fault.run();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
            proxy.heal();
        });
    }

    private void stop(int millis) {
        server.pause();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
        server.resume();
    }
}
