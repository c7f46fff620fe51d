package dev.holdfast.lock.chaos;

import dev.holdfast.check.FaultLog;
import dev.holdfast.check.Faults;
import dev.holdfast.check.Outage;
import dev.holdfast.check.Terms;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.Random;

/** Faults of the server's process. It is paused for a shorter or longer time than a lease, and keeps its data. */
final class ServerFaults implements Faults {

    private static final int LEASE = (int) Terms.LEASE.toMillis();

    private final RedisServer server;
    private final FaultLog log;

    ServerFaults(RedisServer server, FaultLog log) {
        this.server = server;
        this.log = log;
    }

    @Override
    public int pauseMillis() {
        return 1500;
    }

    @Override
    public void strike(Random random) throws InterruptedException {
        int millis = random.nextInt(3) == 0
                ? LEASE / 5 + random.nextInt(LEASE * 3 / 2)
                : LEASE / 20 + random.nextInt(LEASE / 4);
        if (random.nextBoolean()) {
            log.lasting("stop the server", Outage.ALL, millis, server::pause, server::resume);
        } else {
            log.lasting(
                    "pause clients", Outage.ALL, millis, () -> server.clientPause(Duration.ofMillis(millis)), () -> {});
        }
    }
}
