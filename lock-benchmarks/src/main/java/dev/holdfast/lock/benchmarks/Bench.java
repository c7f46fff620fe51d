package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.testing.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** What each benchmark works with: one server on loopback, the ledger of its workers, a client of each library, and the settings. */
final class Bench implements AutoCloseable {

    private static final int SECONDS = Integer.getInteger("seconds", 3);
    private static final int SETTLE_MILLIS = Integer.getInteger("settle", 2_000);
    private static final int ROUNDS = Integer.getInteger("rounds", 3);
    private static final String SIZES = System.getProperty("sizes", "");
    private static final String LIBRARIES = System.getProperty("libraries", "");

    private final RedisServer server = RedisServer.start();
    private final Path ledgerFile;
    private final Ledger ledger;
    private final Map<LockLibrary, Contender> gates = new EnumMap<>(LockLibrary.class);

    Bench() {
        try {
            this.ledgerFile = Files.createTempFile("ledger", ".bin");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.ledger = Ledger.open(ledgerFile);
    }

    RedisServer server() {
        return server;
    }

    Ledger ledger() {
        return ledger;
    }

    /** How many contenders, one table row for each. */
    List<Integer> sizes(Integer... otherwise) {
        return SIZES.isEmpty()
                ? List.of(otherwise)
                : Arrays.stream(SIZES.split(",", -1)).map(Integer::valueOf).toList();
    }

    /** Ours and the one that also waits in processes of any number. */
    List<LockLibrary> libraries() {
        return libraries(library -> library == LockLibrary.HOLDFAST || library == LockLibrary.REDISSON);
    }

    /** Those that are asked for, and fit; without a choice all that fit. */
    List<LockLibrary> libraries(Predicate<LockLibrary> fits) {
        return Arrays.stream(LockLibrary.values())
                .filter(fits)
                .filter(library -> LIBRARIES.isEmpty()
                        ? library != LockLibrary.SLOWED
                        : List.of(LIBRARIES.split(",", -1)).contains(library.name()))
                .toList();
    }

    Fleet fleet(LockLibrary library, LockKind kind, Crowd crowd, Work work) {
        WorkerShape shape = new WorkerShape(library, kind, crowd.clients(), crowd.threads(), work);
        return new Fleet(shape, crowd.processes(), server.port(), ledgerFile);
    }

    /** A client in this process, which holds what a fleet is to wait for. */
    Contender gate(LockLibrary library) {
        return gates.computeIfAbsent(library, opened -> library.openOneOfMany(server.port()));
    }

    /** Lets what runs go on for the time that a round lasts. */
    void measure() throws InterruptedException {
        Thread.sleep(1000L * SECONDS);
    }

    /** Gives those that have just begun to wait the time to fall asleep. */
    void settle() throws InterruptedException {
        Thread.sleep(SETTLE_MILLIS);
    }

    /** Runs the rounds of all lanes, each round in the other order, so that none always goes first; then closes them. A first round only warms up. */
    void interleave(List<Lane> lanes) throws InterruptedException {
        try {
            for (Lane lane : lanes) {
                lane.round(ROUNDS);
                lane.row().clear();
            }
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = 0; i < lanes.size(); i++) {
                    Lane lane = lanes.get(round % 2 == 0 ? i : lanes.size() - 1 - i);
                    lane.round(round);
                    // For those who do not want to wait for the table.
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
        server.close();
        if (!ledgerFile.toFile().delete()) {
            System.err.println("Could not delete " + ledgerFile);
        }
    }
}
