package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.trials.LockLibrary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The environment of a benchmark: one server on loopback, the ledger of its workers, a client of each library, and the settings. */
final class Bench implements AutoCloseable {

    private static final int SECONDS = Integer.getInteger("seconds", 3);
    /** Long enough for one thread to make a lock's code hot, so that the JVM has compiled it when the rounds begin. */
    private static final int LEAST_WARM_UP_SECONDS = 5;

    private static final int SETTLE_MILLIS = Integer.getInteger("settle", 2_000);
    private static final int ROUNDS = Integer.getInteger("rounds", 3);
    private static final long LATENCY_MICROS = Long.getLong("latency", 0);
    private static final String SIZES = System.getProperty("sizes", "");
    private static final String LIBRARIES = System.getProperty("libraries", "");

    private final RedisServer server = RedisServer.start();
    private final FaultProxy network = FaultProxy.to(server.port());
    private final int port = LATENCY_MICROS == 0 ? server.port() : network.port();
    private final Path ledgerFile;
    private final Ledger ledger;
    private int seconds = SECONDS;
    private final Map<LockLibrary, Contender> gates = new EnumMap<>(LockLibrary.class);

    Bench() {
        try {
            this.ledgerFile = Files.createTempFile("ledger", ".bin");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.ledger = Ledger.open(ledgerFile);
        network.delay(Duration.ofNanos(LATENCY_MICROS * 500));
        // So that clients with a failover grace need not wait for it.
        server.cli().set("holdfast:open:" + server.info("replication").get("master_replid"), "1");
    }

    RedisServer server() {
        return server;
    }

    Ledger ledger() {
        return ledger;
    }

    /** Returns the numbers of contenders. The table has a row for each. */
    List<Integer> sizes(Integer... otherwise) {
        return SIZES.isEmpty()
                ? List.of(otherwise)
                : Arrays.stream(SIZES.split(",", -1)).map(Integer::valueOf).toList();
    }

    /** Returns Holdfast, an earlier build of it and Redisson, which can wait in any number of processes. */
    List<LockLibrary> libraries() {
        return libraries(library ->
                library == LockLibrary.HOLDFAST || library == LockLibrary.EARLIER || library == LockLibrary.REDISSON);
    }

    /** Returns the requested libraries that fit. If none are requested, returns all that fit except the variants of Holdfast. */
    List<LockLibrary> libraries(Predicate<LockLibrary> fits) {
        return LockLibrary.named(LIBRARIES).stream()
                .filter(fits)
                .filter(library -> library != LockLibrary.NAIVE)
                .filter(library -> !LIBRARIES.isEmpty() || library == LockLibrary.HOLDFAST || !library.isHoldfast())
                .toList();
    }

    Fleet fleet(LockLibrary library, LockKind kind, Crowd crowd, Work work) {
        WorkerShape shape = new WorkerShape(library, kind, crowd.clients(), crowd.threads(), work);
        return new Fleet(shape, crowd.processes(), port, ledgerFile);
    }

    /** Returns a client in this process. It holds the lock for which a fleet waits. */
    Contender gate(LockLibrary library) {
        return gates.computeIfAbsent(library, opened -> Contender.openOneOfMany(library, port));
    }

    /** Waits for the length of a round while the benchmark runs. */
    void measure() throws InterruptedException {
        Thread.sleep(1000L * seconds);
    }

    /** Waits until callers that have just begun to wait are asleep. */
    void settle() throws InterruptedException {
        Thread.sleep(SETTLE_MILLIS);
    }

    /**
     * Runs the rounds of all lanes and closes the lanes. The order of the lanes is reversed in every second round, so that no lane is always first.
     * An additional first round warms up and is not counted.
     */
    void interleave(List<Lane> lanes) throws InterruptedException {
        try {
            seconds = Math.max(SECONDS, LEAST_WARM_UP_SECONDS);
            for (Lane lane : lanes) {
                lane.round(ROUNDS);
                lane.row().clear();
            }
            seconds = SECONDS;
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = 0; i < lanes.size(); i++) {
                    Lane lane = lanes.get(round % 2 == 0 ? i : lanes.size() - 1 - i);
                    lane.round(round);
                    // Shows results before the whole table is complete.
                    System.err.println(lane.row());
                }
            }
        } finally {
            lanes.forEach(Lane::close);
        }
    }

    @Override
    public void close() {
        gates.values().forEach(Contender::close);
        network.close();
        server.close();
        if (!ledgerFile.toFile().delete()) {
            System.err.println("Could not delete " + ledgerFile);
        }
    }
}
