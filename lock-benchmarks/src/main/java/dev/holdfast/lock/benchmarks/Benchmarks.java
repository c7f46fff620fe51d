package dev.holdfast.lock.benchmarks;

import java.util.Map;
import java.util.TreeMap;

/**
 * Runs one of the benchmarks of waiting: {@code -Dscenario=<name>}. {@code -Dseconds} is the length of a round, {@code -Drounds} their number,
 * {@code -Dsizes} how many contend, separated by commas, {@code -Dlibraries} which libraries take part. Lists the benchmarks where none is named.
 */
public final class Benchmarks {

    private static final Map<String, Benchmark> ALL = new TreeMap<>(Map.of(
            "held", new HeldLocks(),
            "own", new OwnLocks(),
            "herd", new Herd(),
            "fair", new FairLine(),
            "readers", new Readers(),
            "processes", new Processes(),
            "wakeup", new WakeUp(),
            "names", new ManyNames()));

    private Benchmarks() {}

    /**
     * Runs the benchmark.
     *
     * @param args none
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        String scenario = System.getProperty("scenario", "");
        if (scenario.equals("race")) {
            Race.main(args);
            return;
        }
        if (scenario.equals("fleet")) {
            FleetSimulation.run();
            return;
        }
        Benchmark benchmark = ALL.get(scenario);
        if (benchmark == null) {
            list();
            return;
        }
        try (Bench bench = new Bench()) {
            System.out.printf("%s: %s%n%s, JDK %s%n", scenario, benchmark.what(), bench.server(), Runtime.version());
            Table table = new Table();
            benchmark.run(bench, table);
            table.print();
            System.out.println();
            table.printCsv();
            System.out.println("holders at the same time: " + bench.ledger().overlaps());
        }
        System.exit(0);
    }

    private static void list() {
        System.out.println("Choose a scenario, for example -Dscenario=herd -Dseconds=3 -Drounds=3 -Dsizes=2,20,100");
        System.out.println("race: throughput of both libraries in one process, with and without contention");
        ALL.forEach((name, benchmark) -> System.out.println(name + ": " + benchmark.what()));
        System.out.println("fleet: simulates up to 10,000 instances from measured costs, without Redis");
    }
}
