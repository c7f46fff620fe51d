package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.trials.LockLibrary;
import java.util.ArrayList;
import java.util.List;

/** Lets many threads of three processes contend for one fair lock, while another caller uses another lock on the same server. */
final class FairLine implements Benchmark {

    /** A limit, because the cost of each request in Redisson's fair lock grows with the length of its queue. */
    private static final int MOST_OF_REDISSON = 100;

    private static final int PROCESSES = 3;

    @Override
    public String what() {
        return "N waiters (-Dsizes) in three processes for one fair lock: as herd, and the latency of a plain lock beside them";
    }

    @Override
    public void run(Bench bench, Table table) throws InterruptedException {
        for (int waiters : bench.sizes(10, 100, 1000, 5000)) {
            List<Lane> lanes = new ArrayList<>();
            for (LockLibrary library : bench.libraries()) {
                if (library == LockLibrary.HOLDFAST || waiters <= MOST_OF_REDISSON) {
                    Table.Row row = table.row(library.label() + ", " + waiters + " waiters");
                    Crowd crowd = new Crowd(PROCESSES, PROCESSES, (waiters + PROCESSES - 1) / PROCESSES);
                    lanes.add(new Besides(bench, row, new Contention(bench, library, LockKind.FAIR, crowd, row)));
                }
            }
            bench.interleave(lanes);
        }
    }

    /** Measures another lock of the same server, first alone and then while the crowd contends for its lock. */
    private record Besides(Bench bench, Table.Row row, Contention crowd) implements Lane {

        @Override
        public void round(int number) throws InterruptedException {
            Bystander alone = new Bystander(bench.gate(LockLibrary.HOLDFAST));
            bench.measure();
            row.add("another lock, alone, ms", alone.stop(50)).add("p99", alone.stop(99));
            Bystander beside = new Bystander(bench.gate(LockLibrary.HOLDFAST));
            crowd.round(number);
            row.add("another lock, beside, ms", beside.stop(50)).add("p99 beside", beside.stop(99));
        }

        @Override
        public void close() {
            crowd.close();
        }
    }
}
