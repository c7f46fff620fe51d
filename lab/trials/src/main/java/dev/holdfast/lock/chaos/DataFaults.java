package dev.holdfast.lock.chaos;

import dev.holdfast.lock.testing.RedisServer;
import java.util.List;
import java.util.Random;

/** Faults of the server's data. The server loses keys, or has no memory for more. */
final class DataFaults implements Faults {

    private final RedisServer server;
    private final Workers workers;
    private final FaultLog log;

    DataFaults(RedisServer server, Workers workers, FaultLog log) {
        this.server = server;
        this.workers = workers;
        this.log = log;
    }

    @Override
    public int pauseMillis() {
        return 50;
    }

    @Override
    public void strike(Random random) throws InterruptedException {
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
