package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import java.util.ArrayList;
import java.util.List;

/** Threads that do not contend: what the server's one thread can carry. */
final class OwnLocks implements Benchmark {

    private static final int PROCESSES = 2;

    @Override
    public String what() {
        return "two processes of N threads (-Dsizes), a lock for each thread: rate, commands and Redis CPU for each lock and unlock";
    }

    @Override
    public void run(Bench bench, Table table) throws InterruptedException {
        for (int threads : bench.sizes(1, 16)) {
            List<Lane> lanes = new ArrayList<>();
            for (LockLibrary library : bench.libraries()) {
                Table.Row row = table.row(library.label() + ", 2 x " + threads + " threads");
                lanes.add(new Cycles(bench, library, threads, row));
            }
            bench.interleave(lanes);
        }
    }

    private static final class Cycles implements Lane {

        private final Bench bench;
        private final LockLibrary library;
        private final Table.Row row;
        private final Fleet fleet;

        Cycles(Bench bench, LockLibrary library, int threads, Table.Row row) {
            this.bench = bench;
            this.library = library;
            this.row = row;
            Crowd crowd = new Crowd(PROCESSES, PROCESSES, threads);
            this.fleet = bench.fleet(library, LockKind.REENTRANT, crowd, Work.CYCLE_ALONE);
        }

        @Override
        public void round(int number) throws InterruptedException {
            fleet.startOnOwnNames("own-" + library.label() + number);
            bench.settle();
            Usage usage = Usage.of(bench.server());
            Counts counts = fleet.counts();
            bench.measure();
            counts = fleet.counts().since(counts);
            usage = Usage.of(bench.server()).since(usage);
            double acquired = Math.max(1, counts.total());
            row.add("locks/s", counts.total() / usage.seconds())
                    .add("scripts", usage.scripts() / acquired)
                    .add("Redis CPU, µs", usage.cpuMicros() / acquired)
                    .add("locks/s that fill one core of Redis", 1e6 * acquired / usage.cpuMicros())
                    .add("bytes to clients", usage.bytesOut() / acquired);
            fleet.stop();
        }

        @Override
        public Table.Row row() {
            return row;
        }

        @Override
        public void close() {
            fleet.close();
        }
    }
}
