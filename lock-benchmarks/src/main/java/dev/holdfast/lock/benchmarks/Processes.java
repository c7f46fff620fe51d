package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import java.util.ArrayList;
import java.util.List;

/** Two processes whose threads want one lock. */
final class Processes implements Benchmark {

    @Override
    public String what() {
        return "two processes, one client in each, four threads in each client, one lock: rate, and how often the lock changes its process";
    }

    @Override
    public void run(Bench bench, Table table) throws InterruptedException {
        for (int threads : bench.sizes(4)) {
            List<Lane> lanes = new ArrayList<>();
            for (LockLibrary library : bench.libraries()) {
                Table.Row row = table.row(library.label() + ", 2 x " + threads + " threads");
                lanes.add(new Contention(bench, library, LockKind.REENTRANT, new Crowd(2, 2, threads), row));
            }
            bench.interleave(lanes);
        }
    }
}
