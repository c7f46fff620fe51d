package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.trials.LockLibrary;
import java.util.Map;
import java.util.TreeMap;

/**
 * Runs one of the benchmarks: {@code -Dscenario=<name>}. {@code -Dseconds} is the length of a round, {@code -Drounds} the number of rounds, {@code
 * -Dsizes} the numbers of contenders, separated by commas, and {@code -Dlibraries} the libraries to measure. {@code -Dlatency} is how many µs a round
 * trip to Redis takes longer. {@code -Dlimit} is a limit for a
 * figure; the run fails if it is not kept. {@code -Dearlier} is the jar of another build of lock-core, for the library {@code earlier}. Lists the
 * benchmarks if no name is given.
 */
public final class Benchmarks {

    static final String TO_EARLIER = "x earlier";

    private static final Map<String, Benchmark> ALL = new TreeMap<>(Map.ofEntries(
            Map.entry("held", new HeldLocks(1_000, 10_000)),
            Map.entry("memory", new Memory()),
            Map.entry("steady", new Steady()),
            Map.entry("own", new OwnLocks(2, Work.CYCLE_ALONE, library -> true, 1, 16)),
            Map.entry("herd", new Herd()),
            Map.entry("fair", new FairLine()),
            Map.entry("readers", new Readers()),
            Map.entry("beside", new Beside()),
            Map.entry("processes", new Processes(2, 4)),
            Map.entry("startup", new StartUp()),
            Map.entry("idle", new IdleApplication()),
            Map.entry("wakeup", new WakeUp()),
            Map.entry("names", new ManyNames()),
            Map.entry("scripts", new ScriptCost())));

    private Benchmarks() {}

    /**
     * Runs the benchmark.
     *
     * @param args none
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        String scenario = System.getProperty("scenario", "");
        if (scenario.equals("client")) {
            ClientCost.run();
            return;
        }
        boolean all = scenario.equals("speed");
        Benchmark benchmark = ALL.get(scenario);
        if (benchmark == null && !all) {
            list();
            return;
        }
        Report report = new Report();
        try (Bench bench = new Bench()) {
            if (benchmark == null) {
                Speed.run(bench, report);
            } else {
                Table table = new Table();
                benchmark.run(bench, table);
                table.ratios(Measurement.RATE, TO_EARLIER, LockLibrary.EARLIER);
                report.add(scenario, scenario + ": " + benchmark.what(), table);
            }
            report.end(
                    bench.server() + ", JDK " + Runtime.version() + (ContenderThread.VIRTUAL ? ", virtual threads" : "")
                            + ", holders at the same time: " + bench.ledger().overlaps());
        }
        System.exit(report.isWithinLimit() ? 0 : 1);
    }

    private static void list() {
        System.out.println("Choose a scenario, for example -Dscenario=herd -Dseconds=3 -Drounds=3 -Dsizes=2,20,100");
        System.out.println(
                "speed: the figures of docs/lab/performance.md, all libraries in turn (-Dparts, -Dreport=<folder>)");
        ALL.forEach((name, benchmark) -> System.out.println(name + ": " + benchmark.what()));
        System.out.println("client: the client's own time and bytes for each call, by JMH, without Redis");
    }
}
