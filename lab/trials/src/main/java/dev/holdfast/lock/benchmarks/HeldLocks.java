package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.trials.LockLibrary;
import java.util.ArrayList;
import java.util.List;

/** Measures locks that are held and renewed. */
final class HeldLocks implements Benchmark {

    /** The minimum duration of a renewal script. Every other script is far shorter. */
    private static final long LEAST_MICROS = 60;

    private final Integer[] sizes;

    HeldLocks(Integer... sizes) {
        this.sizes = sizes;
    }

    @Override
    public String what() {
        return "one client holds N locks (-Dsizes): memory of each, and what the renewals cost (-Dseconds=20: two of them)";
    }

    @Override
    public void run(Bench bench, Table table) throws InterruptedException {
        for (int locks : bench.sizes(sizes)) {
            List<Lane> lanes = new ArrayList<>();
            for (LockLibrary library : bench.libraries(LockLibrary::renews)) {
                lanes.add(new Holding(bench, library, locks, table.row(library.label() + ", " + locks + " locks")));
            }
            bench.interleave(lanes);
        }
    }

    private static final class Holding extends FleetLane {

        private final int locks;

        Holding(Bench bench, LockLibrary library, int locks, Table.Row row) {
            super(bench, library, LockKind.REENTRANT, new Crowd(1, 1, 0), Work.CYCLE, row);
            this.locks = locks;
        }

        @Override
        public void round(int number) throws InterruptedException {
            double memory = Usage.memoryBytes(bench.server());
            fleet.hold("held-" + library.label().charAt(0) + number + "-", locks);
            row.add("Redis memory of a lock, KB", (Usage.memoryBytes(bench.server()) - memory) / locks / KILOBYTE);
            bench.settle();
            Bystander bystander = new Bystander(bench.gate(LockLibrary.HOLDFAST));
            SlowLog log = new SlowLog(bench.server());
            JvmCost cost = fleet.cost();
            Usage usage = Usage.of(bench.server());
            bench.measure();
            usage = Usage.of(bench.server()).since(usage);
            cost = fleet.cost().minus(cost);
            List<Double> scripts = log.microsOfLongScripts(LEAST_MICROS);
            row.add("renewal scripts/s", scripts.size() / usage.seconds())
                    .add("renewal script, µs", Table.median(scripts))
                    .add("p99, µs", Table.percentile(scripts, 99))
                    .add("client CPU, %", 100 * cost.cpuNanos() / 1e9 / usage.seconds())
                    .add("Redis CPU, %", 100 * usage.cpuMicros() / 1e6 / usage.seconds())
                    .add("another lock beside, p99, ms", bystander.stop(99));
            fleet.awaitAcquired();
            bench.settle();
        }
    }
}
