package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.trials.LockLibrary;
import java.util.ArrayList;
import java.util.List;

/** Lets threads work under their locks, for long enough that renewals could pile up. */
final class Steady implements Benchmark {

    private static final int PARTS = 3;

    @Override
    public String what() {
        return "N threads (-Dsizes) lock, work 50 ms and unlock: scripts of each cycle in three parts of a round (-Dseconds=9: 27 s)";
    }

    @Override
    public void run(Bench bench, Table table) throws InterruptedException {
        for (int threads : bench.sizes(1)) {
            List<Lane> lanes = new ArrayList<>();
            for (LockLibrary library : bench.libraries(LockLibrary::waits)) {
                lanes.add(new Working(bench, library, new Crowd(1, 1, threads), table.row(library, 1, threads)));
            }
            bench.interleave(lanes);
        }
    }

    private static final class Working extends FleetLane {

        Working(Bench bench, LockLibrary library, Crowd crowd, Table.Row row) {
            super(bench, library, LockKind.REENTRANT, crowd, Work.CYCLE_OF_50_MS, row);
        }

        @Override
        public void round(int number) throws InterruptedException {
            fleet.startOnOwnNames("steady-" + library.label().charAt(0) + number);
            for (int part = 1; part <= PARTS; part++) {
                Measurement measured = measure();
                row.add("scripts, part " + part, measured.each(measured.usage().scripts()));
            }
            fleet.stop();
        }
    }
}
