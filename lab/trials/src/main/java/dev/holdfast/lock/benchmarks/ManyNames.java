package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.trials.LockLibrary;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Lets one client wait for many locks at once. */
final class ManyNames implements Benchmark {

    @Override
    public String what() {
        return "one client waits for N names (-Dsizes) at once: whether it works, subscriptions, memory, time until all are acquired";
    }

    @Override
    public void run(Bench bench, Table table) throws InterruptedException {
        for (int names : bench.sizes(1000, 5000, 50_000)) {
            List<Lane> lanes = new ArrayList<>();
            for (LockLibrary library : bench.libraries()) {
                lanes.add(new Waiting(bench, library, names, table.row(library.label() + ", " + names + " names")));
            }
            bench.interleave(lanes);
        }
    }

    private static final class Waiting extends FleetLane {

        private final int names;

        Waiting(Bench bench, LockLibrary library, int names, Table.Row row) {
            super(bench, library, LockKind.REENTRANT, new Crowd(1, 1, 0), Work.CYCLE, row);
            this.names = names;
        }

        @Override
        public void round(int number) throws InterruptedException {
            String prefix = "names-" + library + names + "-" + number + "-";
            List<CompletableFuture<Runnable>> held = new ArrayList<>();
            for (int i = 0; i < names; i++) {
                held.add(bench.gate(library).acquire(prefix + i, false));
            }
            held.forEach(CompletableFuture::join);
            double heap = fleet.heapBytes();
            double memory = Usage.memoryBytes(bench.server());
            fleet.acquire(prefix, names);
            bench.settle();
            bench.measure();
            row.add("subscriptions", Usage.subscriptions(bench.server(), library, prefix))
                    .add("heap of a waiter, KB", (fleet.heapBytes() - heap) / names / KILOBYTE)
                    .add(
                            "Redis memory of a waiter, KB",
                            (Usage.memoryBytes(bench.server()) - memory) / names / KILOBYTE);
            Usage usage = Usage.of(bench.server());
            bench.measure();
            usage = Usage.of(bench.server()).since(usage);
            row.add("scripts/s while waiting", usage.scripts() / usage.seconds())
                    .add("Redis CPU while waiting, %", 100 * usage.cpuMicros() / 1e6 / usage.seconds());
            long start = System.nanoTime();
            held.forEach(hold -> hold.join().run());
            row.add("acquired", fleet.awaitAcquired()).add("after, s", (System.nanoTime() - start) / 1e9);
        }
    }
}
