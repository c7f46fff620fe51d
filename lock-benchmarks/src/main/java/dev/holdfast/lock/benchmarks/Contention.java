package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import java.util.concurrent.locks.Lock;

/** A crowd of one library that takes one lock in turn, with an empty critical section. */
final class Contention implements Lane {

    private static final double KILOBYTE = 1024;

    private final Bench bench;
    private final LockLibrary library;
    private final LockKind kind;
    private final Crowd crowd;
    private final Table.Row row;
    private final Fleet fleet;
    private final double memoryOfClient;

    Contention(Bench bench, LockLibrary library, LockKind kind, Crowd crowd, Table.Row row) {
        this.bench = bench;
        this.library = library;
        this.kind = kind;
        this.crowd = crowd;
        this.row = row;
        double memory = Usage.memoryBytes(bench.server());
        this.fleet = bench.fleet(library, kind, crowd, Work.CYCLE);
        this.memoryOfClient = (Usage.memoryBytes(bench.server()) - memory) / crowd.clients() / KILOBYTE;
    }

    @Override
    public void round(int number) throws InterruptedException {
        String name = String.join("-", library.label(), kind.name(), "" + crowd.size(), "" + number);
        double heap = fleet.heapBytes();
        double memory = Usage.memoryBytes(bench.server());
        Lock gate = bench.gate(library).lock(name, kind);
        gate.lock();
        try {
            fleet.start(name);
            bench.settle();
            row.add("heap of a client, KB", heap / crowd.clients() / KILOBYTE)
                    .add("Redis memory of a client, KB", memoryOfClient)
                    .add("heap of a waiter, KB", (fleet.heapBytes() - heap) / crowd.size() / KILOBYTE)
                    .add(
                            "Redis memory of a waiter, KB",
                            (Usage.memoryBytes(bench.server()) - memory) / crowd.size() / KILOBYTE)
                    .add("subscriptions", Usage.subscriptions(bench.server(), library, name));
        } finally {
            gate.unlock();
        }
        bench.settle();
        measure();
        fleet.stop();
    }

    private void measure() throws InterruptedException {
        Usage usage = Usage.of(bench.server());
        Counts counts = fleet.counts();
        bench.measure();
        counts = fleet.counts().since(counts);
        usage = Usage.of(bench.server()).since(usage);
        double acquired = Math.max(1, counts.total());
        row.add("acquired/s", counts.total() / usage.seconds())
                .add("scripts", usage.scripts() / acquired)
                .add("other commands", usage.others() / acquired)
                .add("Redis CPU, µs", usage.cpuMicros() / acquired)
                .add("messages", counts.messages() / acquired)
                .add("least share", counts.least())
                .add("greatest share", counts.most())
                .add("furthest from the mean, %", counts.deviation())
                .add("switches of process/s", counts.switches() / usage.seconds());
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
