package dev.holdfast.lock.chaos;

import dev.holdfast.check.FaultLog;
import dev.holdfast.check.Faults;
import dev.holdfast.check.Outage;
import dev.holdfast.check.Terms;
import dev.holdfast.check.Workers;
import dev.holdfast.lock.testing.RedisServer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Faults of the server's data. The server loses keys, or has no memory for more. If clients have a failover grace, only those faults occur that the
 * grace covers, and each grace can end before the next fault.
 */
final class DataFaults implements Faults {

    private final RedisServer server;
    private final Workers workers;
    private final FaultLog log;
    private final int graceMillis = (int) Terms.grace().toMillis();

    DataFaults(RedisServer server, Workers workers, FaultLog log) {
        this.server = server;
        this.workers = workers;
        this.log = log;
    }

    @Override
    public int pauseMillis() {
        return 50 + graceMillis + graceMillis / 2;
    }

    @Override
    public void strike(Random random) throws InterruptedException {
        if (graceMillis > 0) {
            strikeAll(random);
        } else {
            strikeSome(random);
        }
    }

    private void strikeAll(Random random) throws InterruptedException {
        switch (random.nextInt(3)) {
            case 0 -> log.at("flush all", Outage.ALL, server::flushAll);
            case 1 -> log.at("restart without data", Outage.ALL, server::restart);
            default -> {
                server.save();
                // Locks are acquired and released that the saved data do not have.
                TimeUnit.MILLISECONDS.sleep(random.nextInt(500));
                log.at("restart with the data of a moment ago", Outage.ALL, () -> {
                    server.kill();
                    server.restartWithData();
                });
            }
        }
    }

    private void strikeSome(Random random) throws InterruptedException {
        switch (random.nextInt(16)) {
            case 0, 1, 2, 3 -> log.at("flush all", Outage.ALL, server::flushAll);
            case 4, 5, 6, 7, 8 ->
                log.at(
                        "delete a lock",
                        Outage.ALL,
                        () -> anyLock(random).forEach(key -> server.cli().del(key)));
            case 9, 10, 11, 12, 13 ->
                log.at(
                        "release by force",
                        Outage.ALL,
                        () -> anyLock(random).forEach(key -> workers.forceRelease(key, random)));
            case 14 -> log.at("restart without data", Outage.ALL, server::restart);
            default ->
                log.lasting(
                        "out of memory",
                        Outage.ALL,
                        50 + random.nextInt(450),
                        () -> server.cli().configSet("maxmemory", "1"),
                        () -> server.cli().configSet("maxmemory", "0"));
        }
    }

    /** Returns the key of a lock that is held; empty if there is none. */
    private List<String> anyLock(Random random) {
        List<String> keys = server.cli().keys("*chaos*").stream()
                .filter(key -> key.startsWith("chaos") || key.startsWith("{chaos}"))
                .sorted()
                .toList();
        return keys.isEmpty() ? keys : List.of(keys.get(random.nextInt(keys.size())));
    }
}
