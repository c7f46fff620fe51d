package dev.holdfast.lock.chaos;

import dev.holdfast.check.FaultLog;
import dev.holdfast.check.Faults;
import dev.holdfast.check.Outage;
import dev.holdfast.check.Workers;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Faults of the server's wall clock. It jumps by less or more than a lease, or by an hour, and back to the true time. */
final class ClockFaults implements Faults {

    private static final Duration HOUR = Duration.ofHours(1);

    private final WallClock server;
    private final Workers workers;
    private final FaultLog log;

    ClockFaults(WallClock server, Workers workers, FaultLog log) {
        this.server = server;
        this.workers = workers;
        this.log = log;
    }

    @Override
    public int pauseMillis() {
        return 250;
    }

    @Override
    public void strike(Random random) throws InterruptedException {
        switch (random.nextInt(20)) {
            case 0 -> jumpBackBehindDeadHolders(random);
            case 1 -> jump(HOUR);
            case 2 -> jump(HOUR.negated());
            case 3, 4, 5, 6 -> jump(Duration.ZERO);
            default -> jump(server.get().plusMillis(random.nextInt(10_000) - 5_000));
        }
    }

    private void jump(Duration beside) throws InterruptedException {
        boolean forward = beside.compareTo(server.get()) > 0;
        log.at(
                forward ? "jump of the server's clock forward" : "jump of the server's clock back",
                Outage.ALL,
                () -> server.set(beside));
    }

    /**
     * Kills workers and sets the clock back. The locks of the dead holders then last an hour longer by Redis' clock, and no jump forward ends them.
     */
    private void jumpBackBehindDeadHolders(Random random) throws InterruptedException {
        int alive = random.nextInt(Workers.COUNT);
        for (int worker = 0; worker < Workers.COUNT; worker++) {
            if (worker != alive) {
                log.at("kill a worker", worker, workers.get(worker)::killAndRestart);
            }
        }
        jump(server.get().minus(HOUR));
        TimeUnit.SECONDS.sleep(8);
        jump(Duration.ZERO);
    }
}
