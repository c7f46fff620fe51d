package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.trials.LockLibrary;
import java.util.concurrent.locks.Lock;

/** The contenders of one library. They acquire one lock in turn, with an empty critical section. */
final class Contention extends FleetLane {

    Contention(Bench bench, LockLibrary library, LockKind kind, Crowd crowd, Table.Row row) {
        super(bench, library, kind, crowd, Work.CYCLE, row);
    }

    @Override
    public void round(int number) throws InterruptedException {
        String name = String.join("-", library.toString(), kind.name(), "" + crowd.size(), "" + number);
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
        Measurement measured = measure();
        Counts counts = measured.counts();
        row.add("messages", measured.each(counts.messages()))
                .add("least share", counts.least())
                .add("greatest share", counts.most())
                .add("furthest from the mean, %", counts.deviation())
                .add("switches of process/s", measured.perSecond(counts.switches()));
        fleet.stop();
    }
}
