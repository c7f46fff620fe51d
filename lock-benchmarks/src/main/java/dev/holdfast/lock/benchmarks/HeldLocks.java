package dev.holdfast.lock.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Locks that are held and renewed. */
final class HeldLocks implements Benchmark {

    private static final double KILOBYTE = 1024;

    @Override
    public String what() {
        return "one client holds N locks (-Dsizes): memory of each, and what the renewals cost (-Dseconds=20: two of them)";
    }

    @Override
    public void run(Bench bench, Table table) throws InterruptedException {
        for (int locks : bench.sizes(1_000, 10_000)) {
            List<Lane> lanes = new ArrayList<>();
            for (LockLibrary library : bench.libraries()) {
                lanes.add(new Holding(bench, library, locks, table.row(library.label() + ", " + locks + " locks")));
            }
            bench.interleave(lanes);
        }
    }

    private record Holding(Bench bench, LockLibrary library, int locks, Table.Row row) implements Lane {

        @Override
        public void round(int number) throws InterruptedException {
            String prefix = "held-" + library.label() + locks + "-" + number + "-";
            double memory = Usage.memoryBytes(bench.server());
            List<CompletableFuture<Runnable>> held = new ArrayList<>();
            for (int i = 0; i < locks; i++) {
                held.add(bench.gate(library).acquire(prefix + i, true));
            }
            held.forEach(CompletableFuture::join);
            row.add("Redis memory of a lock, KB", (Usage.memoryBytes(bench.server()) - memory) / locks / KILOBYTE);
            Usage usage = Usage.of(bench.server());
            bench.measure();
            usage = Usage.of(bench.server()).since(usage);
            row.add("scripts/s", usage.scripts() / usage.seconds())
                    .add("Redis CPU, %", 100 * usage.cpuMicros() / 1e6 / usage.seconds());
            held.forEach(hold -> hold.join().run());
            bench.settle();
        }

        @Override
        public void close() {
            // The client is the bench's.
        }
    }
}
