package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.trials.LockLibrary;
import java.util.ArrayList;
import java.util.List;

/** Lets two processes pass one lock to each other. */
final class WakeUp implements Benchmark {

    private static final int WARM_UP_SECONDS = Integer.getInteger("warm", 8);

    @Override
    public String what() {
        return "two processes, one waiter: the time from just before unlock() in one to the return of lock() in the other, with and without a pause";
    }

    @Override
    public void run(Bench bench, Table table) throws InterruptedException {
        List<Lane> lanes = new ArrayList<>();
        for (LockLibrary library : bench.libraries()) {
            lanes.add(new HandOver(bench, library, Work.PING_PONG, table.row(library.label() + ", after 10 ms")));
            lanes.add(new HandOver(bench, library, Work.TURNS, table.row(library.label() + ", without a pause")));
        }
        bench.interleave(lanes);
        table.ratios("median, µs", "x Redisson", LockLibrary.REDISSON);
    }

    private static final class HandOver extends FleetLane {

        private boolean warm;

        HandOver(Bench bench, LockLibrary library, Work work, Table.Row row) {
            super(bench, library, LockKind.REENTRANT, new Crowd(2, 2, 1), work, row);
        }

        @Override
        public void round(int number) throws InterruptedException {
            warmUp();
            bench.ledger().forgetLast();
            fleet.start("wake-up-" + library + number);
            bench.settle();
            fleet.clearSamples();
            Usage usage = Usage.of(bench.server());
            bench.measure();
            usage = Usage.of(bench.server()).since(usage);
            List<Double> micros =
                    fleet.samples().stream().map(nanos -> nanos / 1e3).toList();
            fleet.stop();
            row.add("hand-overs", micros.size())
                    .add("scripts", (double) usage.scripts() / Math.max(1, micros.size()))
                    .add("median, µs", Table.median(micros))
                    .add("p99, µs", Table.percentile(micros, 99));
        }

        /** Runs the fleet before the first round. The few hundred hand-overs of a round would leave most code of both libraries interpreted. */
        private void warmUp() throws InterruptedException {
            if (!warm && WARM_UP_SECONDS > 0) {
                warm = true;
                fleet.warmUp("warm-up-" + library);
                Thread.sleep(1000L * WARM_UP_SECONDS);
                fleet.stop();
            }
        }
    }
}
