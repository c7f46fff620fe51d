package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.trials.LockLibrary;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.locks.Lock;

/** Lets readers wait for one writer. */
final class Readers implements Benchmark {

    /** A limit, because with more waiters a Redisson client throws "Unable to acquire subscription lock". */
    private static final int MOST_OF_A_REDISSON_CLIENT = 100;

    @Override
    public String what() {
        return "N readers (-Dsizes), of one client and of one client for each ten, wait for a writer: cost of its release, time until all have entered";
    }

    @Override
    public void run(Bench bench, Table table) throws InterruptedException {
        for (int readers : bench.sizes(10, 100, 1000)) {
            for (int clients : new TreeSet<>(List.of(1, readers / 10))) {
                String subject = ", " + readers + " readers of " + clients + (clients == 1 ? " client" : " clients");
                List<Lane> lanes = new ArrayList<>();
                for (LockLibrary library : bench.libraries()) {
                    Crowd crowd = new Crowd(clients == 1 ? 1 : 2, clients, readers / clients);
                    if (library == LockLibrary.HOLDFAST || crowd.threads() <= MOST_OF_A_REDISSON_CLIENT) {
                        lanes.add(new Admission(bench, library, crowd, table.row(library.label() + subject)));
                    }
                }
                bench.interleave(lanes);
            }
        }
    }

    private static final class Admission extends FleetLane {

        Admission(Bench bench, LockLibrary library, Crowd crowd, Table.Row row) {
            super(bench, library, LockKind.READ, crowd, Work.STAY, row);
        }

        @Override
        public void round(int number) throws InterruptedException {
            String name = "readers-" + library + crowd.size() + "-" + crowd.clients() + "-" + number;
            SlowLog log = new SlowLog(bench.server());
            Start start = release(bench.gate(library).lock(name, LockKind.WRITE), log, name);
            row.add("writer's release, µs of Redis", log.microsOfScript(start.writer()));
            enter(start);
            leave();
            fleet.stop();
        }

        /** The state at the writer's release: the writer's address, and the counts so far. */
        private record Start(String writer, Usage usage, long messages) {}

        private Start release(Lock lock, SlowLog log, String name) throws InterruptedException {
            lock.lock();
            try {
                String writer = log.addressOfLastScript();
                fleet.start(name);
                bench.settle();
                log.clear();
                long messages = fleet.counts().messages();
                return new Start(writer, Usage.of(bench.server()), messages);
            } finally {
                lock.unlock();
            }
        }

        private void enter(Start start) {
            long last = fleet.awaitEntered();
            Usage entering = Usage.of(bench.server()).since(start.usage());
            row.add(
                            "all entered after, ms",
                            last == 0 ? Double.NaN : (last - start.usage().nanos()) / 1e6)
                    .add("scripts for each reader", (double) entering.scripts() / crowd.size())
                    .add("Redis CPU for each reader, µs", entering.cpuMicros() / crowd.size())
                    .add("messages", fleet.counts().messages() - start.messages());
        }

        private void leave() {
            Usage before = Usage.of(bench.server());
            fleet.leave();
            Usage leaving = Usage.of(bench.server()).since(before);
            row.add("scripts for each that leaves", (double) leaving.scripts() / crowd.size())
                    .add("Redis CPU for each that leaves, µs", leaving.cpuMicros() / crowd.size());
        }
    }
}
