package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.trials.LockLibrary;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/** Measures threads that do not contend, which shows the load that the server's single thread can process. */
final class OwnLocks implements Benchmark {

    private final int processes;
    private final Work work;
    private final Predicate<LockLibrary> takesPart;
    private final Integer[] sizes;

    /** Creates the benchmark. The sizes are the numbers of threads in each process, unless {@code -Dsizes} sets them. */
    OwnLocks(int processes, Work work, Predicate<LockLibrary> takesPart, Integer... sizes) {
        this.processes = processes;
        this.work = work;
        this.takesPart = takesPart;
        this.sizes = sizes;
    }

    @Override
    public String what() {
        return processes + " process(es) of N threads (-Dsizes), a lock for each thread, "
                + work.name().toLowerCase(Locale.ROOT).replace('_', ' ') + ": rate and cost of each lock and unlock";
    }

    @Override
    public void run(Bench bench, Table table) throws InterruptedException {
        for (int threads : bench.sizes(sizes)) {
            List<Lane> lanes = new ArrayList<>();
            for (LockLibrary library : bench.libraries(takesPart)) {
                Table.Row row = table.row(library, processes, threads);
                lanes.add(new Cycles(bench, library, new Crowd(processes, processes, threads), work, row));
            }
            bench.interleave(lanes);
        }
    }

    private static final class Cycles extends FleetLane {

        Cycles(Bench bench, LockLibrary library, Crowd crowd, Work work, Table.Row row) {
            super(bench, library, LockKind.REENTRANT, crowd, work, row);
        }

        @Override
        public void round(int number) throws InterruptedException {
            fleet.startOnOwnNames(library.name().substring(0, 2) + number);
            bench.settle();
            Measurement measured = measure();
            row.add(
                    "locks/s that fill one core of Redis",
                    1e6 / measured.each(measured.usage().cpuMicros()));
            fleet.stop();
        }
    }
}
