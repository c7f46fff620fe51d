package dev.holdfast.lock.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Instances that contend for some locks of one Redis. */
final class SimulatedFleet {

    private static final double WARM_UP = 5e6;
    private static final double MEASURED = 20e6;

    private final SimulationCosts costs;
    private final double holdMicros;
    private final double pauseMicros;
    private final SimulatedRedis redis;
    private final List<SimulatedLock> locks = new ArrayList<>();
    private final List<Double> waits = new ArrayList<>();
    private long grants;

    SimulatedFleet(
            SimulationCosts costs,
            boolean oneIsWoken,
            int instances,
            int lockNumber,
            double holdMillis,
            double pauseMillis) {
        this.costs = costs;
        this.holdMicros = holdMillis * 1_000;
        this.pauseMicros = pauseMillis * 1_000;
        this.redis = new SimulatedRedis(costs);
        for (int i = 0; i < lockNumber; i++) {
            locks.add(new SimulatedLock(oneIsWoken, costs));
        }
        // The seed is fixed, so that a simulation gives the same figures each time.
        Random random = new Random(1);
        for (int i = 0; i < instances; i++) {
            SimulatedClient client = new SimulatedClient(this, redis, random);
            redis.after(random.nextDouble() * Math.max(100_000, pauseMicros), client::pause);
        }
    }

    void run(Table.Row row) {
        redis.run(WARM_UP);
        redis.resetStatistics();
        waits.clear();
        redis.run(MEASURED);
        double acquired = Math.max(1, waits.size());
        row.add("acquired/s", waits.size() / (MEASURED / 1e6))
                .add("Redis busy, %", 100 * Math.min(1, redis.busyMicros() / MEASURED))
                .add("scripts", redis.scripts() / acquired)
                .add("messages", redis.messages() / acquired)
                .add("Redis, µs", redis.busyMicros() / acquired)
                .add("wait, median, ms", Table.median(waits) / 1_000)
                .add("wait, p99, ms", Table.percentile(waits, 99) / 1_000)
                .add("command, median, ms", redis.latencyMillis(50))
                .add("command, p99, ms", redis.latencyMillis(99));
    }

    SimulatedLock anyLock(Random random) {
        return locks.get(random.nextInt(locks.size()));
    }

    SimulationCosts costs() {
        return costs;
    }

    long nextGrant() {
        return ++grants;
    }

    double holdMicros() {
        return holdMicros;
    }

    double pauseMicros() {
        return pauseMicros;
    }

    void acquired(double waitedMicros) {
        waits.add(waitedMicros);
    }
}
