package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.trials.LockLibrary;
import java.util.ArrayList;
import java.util.List;

/** Lets the threads of some processes contend for one lock. */
final class Processes implements Benchmark {

    private final int processes;
    private final Integer[] sizes;

    /** Creates the benchmark. The sizes are the numbers of threads in each process, unless {@code -Dsizes} sets them. */
    Processes(int processes, Integer... sizes) {
        this.processes = processes;
        this.sizes = sizes;
    }

    @Override
    public String what() {
        return processes
                + " process(es), one client in each, N threads (-Dsizes) in each client, one lock: rate, cost, how often the lock changes its process";
    }

    @Override
    public void run(Bench bench, Table table) throws InterruptedException {
        for (int threads : bench.sizes(sizes)) {
            List<Lane> lanes = new ArrayList<>();
            for (LockLibrary library : bench.libraries(LockLibrary::waits)) {
                Table.Row row = table.row(library, processes, threads);
                Crowd crowd = new Crowd(processes, processes, threads);
                lanes.add(new Contention(bench, library, LockKind.REENTRANT, crowd, row));
            }
            bench.interleave(lanes);
        }
    }
}
