package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.trials.LockLibrary;
import java.util.ArrayList;
import java.util.List;

/** Lets many clients contend for one lock, with one thread in each client. */
final class Herd implements Benchmark {

    /**
     * With more clients, the libraries run one after the other if Redisson is one of them. Each Redisson client has a timer that ticks, so idle
     * clients would use CPU that the other library needs.
     */
    private static final int MOST_BESIDE_OTHERS = 2;

    @Override
    public String what() {
        return "N clients (-Dsizes), one thread in each, one lock: rate, commands, Redis CPU, messages and memory for each acquisition";
    }

    @Override
    public void run(Bench bench, Table table) throws InterruptedException {
        List<LockLibrary> libraries = bench.libraries();
        for (int clients : bench.sizes(2, 20, 100, 1000)) {
            boolean runsAlone = clients > MOST_BESIDE_OTHERS && libraries.contains(LockLibrary.REDISSON);
            List<Lane> lanes = new ArrayList<>();
            for (LockLibrary library : libraries) {
                Table.Row row = table.row(library.label() + ", " + clients + " clients");
                lanes.add(new Contention(bench, library, LockKind.REENTRANT, Crowd.ofClients(clients), row));
                if (runsAlone) {
                    bench.interleave(lanes);
                    lanes.clear();
                }
            }
            bench.interleave(lanes);
        }
    }
}
