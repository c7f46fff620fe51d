package dev.holdfast.lock.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.IntUnaryOperator;

/**
 * Simulates fleets that no test machine can run: up to 10,000 instances on one Redis, with the costs that {@code herd} measured. Simulates the queue
 * in front of Redis' single thread, and the network. Does not simulate failures, the CPU of the instances, or the variance of the network.
 */
final class FleetSimulation {

    private static final List<Integer> INSTANCES = List.of(2, 20, 100, 1_000, 10_000);

    private FleetSimulation() {}

    static void run() {
        System.out.println("one woken: " + SimulationCosts.ofOneWoken());
        System.out.println("all woken: " + SimulationCosts.ofAllWoken());
        print("One lock, no pause, empty critical section", instances -> 1, 0, 0);
        print("One lock, no pause, held for 10 ms", instances -> 1, 10, 0);
        print("100 locks, no pause, held for 10 ms", instances -> 100, 10, 0);
        print(
                "A lock for each 10 instances, held for 50 ms, a pause of 1 s",
                instances -> instances / 10 + 1,
                50,
                1_000);
        // The costs without a queue apply, because no instance waits.
        jobs(SimulationCosts.ofAllWoken());
    }

    private static void print(String title, IntUnaryOperator locks, double holdMillis, double pauseMillis) {
        Table table = new Table();
        for (int instances : INSTANCES) {
            for (boolean oneIsWoken : new boolean[] {false, true}) {
                Table.Row row = table.row(subject(instances, oneIsWoken ? "one woken" : "all woken"));
                SimulationCosts costs = oneIsWoken ? SimulationCosts.ofOneWoken() : SimulationCosts.ofAllWoken();
                new SimulatedFleet(costs, oneIsWoken, instances, locks.applyAsInt(instances), holdMillis, pauseMillis)
                        .run(row);
            }
        }
        print(title, table);
    }

    /** Simulates a scheduled job: each instance makes one attempt without a wait. The instances' clocks differ by up to 20 ms. */
    private static void jobs(SimulationCosts costs) {
        Table table = new Table();
        Random random = new Random(3);
        for (int instances : INSTANCES) {
            SimulatedRedis redis = new SimulatedRedis(costs);
            for (int i = 0; i < instances; i++) {
                redis.after(
                        random.nextDouble() * 20_000,
                        () -> redis.send(messages -> costs.ask() + costs.busy(), () -> {}));
            }
            redis.run(60e6);
            table.row(subject(instances, "one job"))
                    .add("Redis, ms in all", redis.busyMicros() / 1_000)
                    .add("command, median, ms", redis.latencyMillis(50))
                    .add("command, slowest, ms", redis.latencyMillis(100));
        }
        print("A job that all instances try at the same second, and one runs", table);
    }

    private static String subject(int instances, String what) {
        return String.format(Locale.ROOT, "%,d instances, %s", instances, what);
    }

    private static void print(String title, Table table) {
        System.out.println();
        System.out.println(title);
        System.out.println();
        System.out.println(table.markdown());
    }
}
