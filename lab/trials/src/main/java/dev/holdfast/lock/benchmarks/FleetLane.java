package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.trials.LockLibrary;

/** A lane whose library runs in its own worker processes, so that nothing else uses their CPU and memory. */
abstract class FleetLane implements Lane {

    static final double KILOBYTE = 1024;

    final Bench bench;
    final LockLibrary library;
    final LockKind kind;
    final Crowd crowd;
    final Table.Row row;
    final Fleet fleet;
    final double memoryOfClient;

    FleetLane(Bench bench, LockLibrary library, LockKind kind, Crowd crowd, Work work, Table.Row row) {
        this.bench = bench;
        this.library = library;
        this.kind = kind;
        this.crowd = crowd;
        this.row = row;
        double memory = Usage.memoryBytes(bench.server());
        this.fleet = bench.fleet(library, kind, crowd, work);
        this.memoryOfClient = (Usage.memoryBytes(bench.server()) - memory) / crowd.clients() / KILOBYTE;
    }

    /** Measures the fleet for the length of a round. Adds its rate and costs to the row. */
    final Measurement measure() throws InterruptedException {
        Usage usage = Usage.of(bench.server());
        Counts counts = fleet.counts();
        bench.measure();
        counts = fleet.counts().since(counts);
        usage = Usage.of(bench.server()).since(usage);
        Measurement measured = new Measurement(counts, usage);
        measured.addTo(row);
        return measured;
    }

    @Override
    public final Table.Row row() {
        return row;
    }

    @Override
    public final void close() {
        fleet.close();
    }
}
