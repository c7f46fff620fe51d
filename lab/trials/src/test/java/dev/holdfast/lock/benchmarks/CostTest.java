package dev.holdfast.lock.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.trials.LockLibrary;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Phaser;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What a lock costs that nobody else wants, counted. Counts do not depend on how busy the machine is, so a change that makes a lock dearer fails here;
 * times are for {@code -Dscenario=speed}.
 */
class CostTest {

    private static final int CYCLES = 1_000;

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** What one thread does, each time a lock of its own name that is asked for anew. */
    private static Measurement cost(Contender client) {
        warmUp(client);
        return measured(client);
    }

    private static Measurement measured(Contender client) {
        Usage usage = Usage.of(server);
        JvmCost cost = JvmCost.now();
        cycle(client);
        cost = JvmCost.now().minus(cost);
        usage = Usage.of(server).since(usage);
        return new Measurement(new Counts(List.of((long) CYCLES), 0, 0, cost), usage);
    }

    /**
     * Runs until three rounds in a row allocate no less than the earlier ones, within 1 %. Under load, two can be equal long before the last
     * compilation.
     */
    private static void warmUp(Contender client) {
        long least = allocated(client);
        int equal = 0;
        for (int round = 0; round < 40 && equal < 3; round++) {
            long now = allocated(client);
            equal = now < least - least / 100 ? 0 : equal + 1;
            least = Math.min(least, now);
        }
    }

    private static long allocated(Contender client) {
        JvmCost before = JvmCost.now();
        cycle(client);
        return JvmCost.now().minus(before).allocatedBytes();
    }

    private static void cycle(Contender client) {
        for (int i = 0; i < CYCLES; i++) {
            Lock lock = client.lock("cost-00001", LockKind.REENTRANT);
            lock.lock();
            lock.unlock();
        }
    }

    @Test
    void lockAndUnlockAreTwoCommandsAndFewBytes() {
        try (HoldfastContender client = new HoldfastContender(server.port())) {
            client.awaitSelfCheck();
            // The server's answer about its statistics is counted, too. It has a line for each command that ever ran.
            server.resetStats();
            cycle(client);
            Measurement measured = measured(client);
            Usage usage = measured.usage();

            assertThat(measured.each(usage.commands())).as("commands").isBetween(2.0, 2.01);
            assertThat(measured.each(usage.innerCommands()))
                    .as("commands inside the scripts")
                    .isBetween(8.0, 8.05);
            assertThat(measured.each(usage.bytesIn())).as("bytes to Redis").isLessThan(310);
            assertThat(measured.each(usage.bytesOut())).as("bytes from Redis").isLessThan(30);
        }
    }

    /** Compares with two bare scripts, because Lettuce and the JDK allocate 2,650 bytes for them on JDK 17, and 3,080 on 25. */
    @Test
    @Nightly(inEachBuild = "lockAndUnlockAreTwoCommandsAndFewBytes")
    void lockAndUnlockAllocateLittle() {
        try (Contender client = Contender.open(LockLibrary.HOLDFAST, server.port());
                Contender raw = Contender.open(LockLibrary.RAW, server.port())) {
            Measurement ours = cost(client);
            Measurement bare = cost(raw);

            assertThat(ours.each(ours.counts().cost().allocatedBytes())
                            - bare.each(bare.counts().cost().allocatedBytes()))
                    .as("bytes allocated more than by two bare scripts")
                    .isLessThan(1_300);
        }
    }

    @Test
    void clientsThatDoNotWaitNeedOneConnectionAndNoThreadForEachLock() {
        JvmCost before = JvmCost.now();
        long connected = connections();
        try (Contender client = Contender.open(LockLibrary.HOLDFAST, server.port())) {
            List<CompletableFuture<Runnable>> held = new ArrayList<>();
            for (int i = 0; i < CYCLES; i++) {
                held.add(client.acquire("held-" + i, true));
            }
            held.forEach(CompletableFuture::join);

            assertThat(connections() - connected).as("connections").isEqualTo(1);
            // A hundred callbacks at once may take a few threads, which end when they are idle for a second.
            Await.until(
                    "the client needs fewer than 12 threads",
                    Await.PATIENCE,
                    () -> JvmCost.now().minus(before).threads() < 12);
            held.forEach(hold -> hold.join().run());
        }
    }

    /** Otherwise each would ask Redis, enter the line and leave it again for every turn. */
    @Test
    @Nightly(inEachBuild = "HandOverTest, whose threads take turns without a request")
    void twoThreadsOfOneClientTakeTurnsWithFewCommands() throws InterruptedException {
        try (Contender client = Contender.open(LockLibrary.HOLDFAST, server.port())) {
            cycle(client);
            Usage usage = Usage.of(server);
            // On a busy machine, one thread could otherwise end before the other begins.
            Phaser both = new Phaser(2);
            Runnable turns = () -> {
                both.arriveAndAwaitAdvance();
                cycle(client);
            };
            List<Thread> threads = List.of(new Thread(turns), new Thread(turns));
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            usage = Usage.of(server).since(usage);

            assertThat(usage.commands() / (2.0 * CYCLES))
                    .as("commands of an acquisition")
                    .isLessThan(1.3);
        }
    }

    private static long connections() {
        return Long.parseLong(server.info("clients").getOrDefault("connected_clients", "0"));
    }

    /** Otherwise nobody would know whether the figures say anything. */
    @Test
    @Nightly(inEachBuild = "lockAndUnlockAreTwoCommandsAndFewBytes, whose bounds have two sides")
    void burdenOnEachAcquisitionShows() {
        try (Contender client = Contender.open(LockLibrary.HOLDFAST, server.port());
                Contender burdened = Contender.open(LockLibrary.SLOWED, server.port())) {
            Measurement plain = cost(client);
            Measurement slow = cost(burdened);

            assertThat(slow.each(slow.usage().commands())
                            - plain.each(plain.usage().commands()))
                    .as("commands more")
                    .isBetween(0.95, 1.05);
            assertThat(slow.each(slow.counts().cost().allocatedBytes())
                            - plain.each(plain.counts().cost().allocatedBytes()))
                    .as("bytes allocated more")
                    .isGreaterThan(SlowedContender.BYTES / 2);
            assertThat(slow.each(slow.counts().cost().cpuNanos()))
                    .as("CPU time of an acquisition with %s ns more", SlowedContender.CPU_NANOS)
                    .isGreaterThan(SlowedContender.CPU_NANOS / 2);
        }
    }
}
