package dev.holdfast.lock.chaos;

import dev.holdfast.check.FaultLog;
import dev.holdfast.check.Faults;
import java.time.Duration;
import java.util.Random;

/** Faults of a worker's wall clock, which jumps. They must have no effect, because locks measure time by the monotonic clock. */
final class WallClockFaults implements Faults {

    private final WallClock clock;
    private final int worker;
    private final FaultLog log;

    WallClockFaults(WallClock clock, int worker, FaultLog log) {
        this.clock = clock;
        this.worker = worker;
        this.log = log;
    }

    @Override
    public int pauseMillis() {
        return 400;
    }

    @Override
    public void strike(Random random) throws InterruptedException {
        int seconds = random.nextBoolean() ? random.nextInt(20) - 10 : random.nextInt(7_200) - 3_600;
        log.at("jump of a worker's wall clock", worker, () -> clock.set(Duration.ofSeconds(seconds)));
    }
}
