package dev.holdfast.lock.chaos;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.testing.RedisServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs full load for minutes on two clients of this process, without faults, to show that the clients' use of resources does not grow. Draws the heap
 * (after a collection), threads, connections, subscriptions, Redis' memory, renewals and acquisitions. The run fails if one of the checked values is
 * not flat.
 */
final class Endurance {

    private static final int THREADS = 12;
    private static final int HELD = 100;
    private static final int SAMPLES = 180;
    /** The lease is longer than stalls of the machine, because a lost lease would no longer be renewed. */
    private static final Duration LEASE = Duration.ofSeconds(10);

    private final RedisServer server = RedisServer.start();
    private final List<LockClient> clients = List.of(client(), client());
    private final AtomicBoolean over = new AtomicBoolean();
    private final Curves curves = new Curves();
    private final List<Lease> held = new ArrayList<>();
    private final Path pause;

    /** @param pause while this file exists, there is no load, so that others can measure on this machine */
    private Endurance(Path pause) {
        this.pause = pause;
    }

    private LockClient client() {
        return RedisLockClient.builder(RedisSource.of(server.uri()))
                .watchdogTimeout(LEASE)
                .build();
    }

    static boolean run(int minutes, Path out, Path pause) throws IOException, InterruptedException {
        Endurance endurance = new Endurance(pause);
        endurance.load();
        long period = TimeUnit.MINUTES.toNanos(minutes) / SAMPLES;
        for (int i = 1; i <= SAMPLES; i++) {
            endurance.sample(period);
            // Drawn after each sample, so that a run that is ended early also has its picture.
            endurance.draw(out, TimeUnit.NANOSECONDS.toMinutes(i * period));
        }
        endurance.over.set(true);
        endurance.held.forEach(Lease::releaseAsync);
        System.out.println(endurance.curves.table());
        return endurance.curves.areFlat();
    }

    private void draw(Path out, long minutes) throws IOException {
        Files.writeString(out.resolve("endurance.svg"), curves.draw(minutes + " minutes of " + THREADS + " threads"));
        Files.writeString(out.resolve("endurance.md"), curves.table());
    }

    private void load() {
        // These locks are held throughout, so that there are always leases to renew.
        for (int i = 0; i < HELD; i++) {
            held.add(clients.get(i % 2).getLock("held-" + i).acquire());
        }
        for (int i = 0; i < THREADS; i++) {
            Random random = new Random(i);
            LockClient client = clients.get(i % 2);
            Thread thread = new Thread(() -> contend(client, random), "endurance-" + i);
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void contend(LockClient client, Random random) {
        while (!over.get()) {
            if (Files.exists(pause)) {
                sleep(100);
                continue;
            }
            // Most names come from a few, for contention. Some are new, like names of orders or customers.
            String name = random.nextInt(10) == 0 ? "order-" + random.nextLong() : "busy-" + random.nextInt(4);
            LeaseLock lock = random.nextInt(5) == 0 ? client.getFairLock("fair-" + name) : client.getLock(name);
            lock.tryAcquire(AcquireOptions.defaults().waitAtMost(Duration.ofMillis(random.nextInt(200))))
                    .ifPresent(lease -> {
                        if (random.nextInt(50) == 0) {
                            sleep(5);
                        }
                        lease.close();
                    });
        }
    }

    private static void sleep(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void sample(long periodNanos) throws InterruptedException {
        long[] before;
        long begin;
        do {
            // A period without load is not counted as a sample.
            while (Files.exists(pause)) {
                sleep(100);
            }
            before = counts();
            begin = System.nanoTime();
            TimeUnit.NANOSECONDS.sleep(periodNanos);
        } while (Files.exists(pause));
        System.gc();
        double seconds = (System.nanoTime() - begin) / 1e9;
        long[] now = counts();
        curves.add("heap after a collection, KiB", usedHeap() / 1024);
        curves.add("threads", ManagementFactory.getThreadMXBean().getThreadCount());
        curves.add("connections", ClientConnections.of(server).size());
        curves.add("subscriptions", server.cli().pubsubChannels().size());
        curves.add(
                "memory of Redis, KiB", Long.parseLong(server.info("memory").getOrDefault("used_memory", "0")) / 1024);
        curves.add("renewals a second", Math.round((now[0] - before[0]) / seconds));
        // The rate is not checked, because it depends on other work of the machine.
        curves.addUnchecked("acquisitions a second", Math.round((now[1] - before[1]) / seconds));
    }

    private long[] counts() {
        return new long[] {
            clients.stream().mapToLong(client -> client.statistics().renewals()).sum(),
            clients.stream().mapToLong(client -> client.statistics().acquired()).sum()
        };
    }

    private static long usedHeap() {
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
