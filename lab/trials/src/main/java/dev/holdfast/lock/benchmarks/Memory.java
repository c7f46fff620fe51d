package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.trials.LockLibrary;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Measures the heap that a lock uses in its client. */
final class Memory implements Benchmark {

    /** A limit, because Redisson throws an exception if callers wait for more names than it has subscriptions. */
    private static final int MOST_NAMES_OF_REDISSON = 60;

    private static final List<String> SETS = List.of("a", "b", "c", "d");

    @Override
    public String what() {
        return "one client: heap for each of N held locks (-Dsizes), of N waits for one name, of N waits for names of their own";
    }

    @Override
    public void run(Bench bench, Table table) throws InterruptedException {
        for (int number : bench.sizes(5_000)) {
            List<Lane> lanes = new ArrayList<>();
            for (LockLibrary library : bench.libraries(whatever -> true)) {
                lanes.add(new Heap(bench, library, number, table.row(library.label() + ", " + number)));
            }
            bench.interleave(lanes);
        }
    }

    private static final class Heap extends FleetLane {

        private final int number;

        Heap(Bench bench, LockLibrary library, int number, Table.Row row) {
            super(bench, library, LockKind.REENTRANT, new Crowd(1, 1, 0), Work.NONE, row);
            this.number = number;
        }

        @Override
        public void round(int round) throws InterruptedException {
            String name = "heap-" + library.label().charAt(0) + round + "-";
            row.add("a held lock, B", each(number, part -> fleet.hold(name + part, number)));
            fleet.awaitAcquired();
            if (!library.renews()) {
                // Other libraries need a thread for each wait, or cannot wait.
                return;
            }
            row.add("a waiter on one name, B", waiters(name + "one", 1, number));
            int names = library == LockLibrary.REDISSON ? Math.min(number, MOST_NAMES_OF_REDISSON) : number;
            row.add("a waiter on its own name, B", waiters(name + "own", names, names));
        }

        /**
         * Returns the median of the bytes that each lock of a further set adds. The first set is not counted, because it also allocates shared
         * objects.
         */
        private double each(int many, Consumer<String> begin) throws InterruptedException {
            List<Double> added = new ArrayList<>();
            begin.accept(SETS.get(0));
            bench.settle();
            double before = fleet.heapBytes();
            for (String set : SETS.subList(1, SETS.size())) {
                begin.accept(set);
                bench.settle();
                double now = fleet.heapBytes();
                added.add((now - before) / many);
                before = now;
            }
            return Table.median(added);
        }

        private double waiters(String prefix, int names, int waiters) throws InterruptedException {
            List<CompletableFuture<Runnable>> held = new ArrayList<>();
            for (int i = 0; i < names; i++) {
                for (String set : names == 1 ? List.of("") : SETS) {
                    String suffix = names == 1 ? "" : set + i;
                    held.add(bench.gate(LockLibrary.HOLDFAST).acquire(prefix + suffix, true));
                }
            }
            held.forEach(CompletableFuture::join);
            double bytes = each(waiters, part -> {
                if (names == 1) {
                    fleet.queue(prefix, waiters);
                } else {
                    fleet.acquire(prefix + part, waiters);
                }
            });
            held.forEach(hold -> hold.join().run());
            // The waiters on a single name acquire it one after the other.
            fleet.awaitAcquired();
            return bytes;
        }
    }
}
