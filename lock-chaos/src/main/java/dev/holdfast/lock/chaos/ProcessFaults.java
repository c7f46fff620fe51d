package dev.holdfast.lock.chaos;

import java.util.Random;

/** One worker's process is stopped, for shorter or longer than its lease, or killed. */
final class ProcessFaults implements Faults {

    private static final int LEASE = (int) Terms.LEASE.toMillis();

    private final WorkerProcess process;
    private final int worker;
    private final FaultLog log;

    ProcessFaults(WorkerProcess process, int worker, FaultLog log) {
        this.process = process;
        this.worker = worker;
        this.log = log;
    }

    @Override
    public void strike(Random random) throws InterruptedException {
        if (random.nextInt(8) == 0) {
            log.at("kill a worker", worker, process::killAndRestart);
        } else {
            int millis = LEASE * 3 / 10 + random.nextInt(LEASE * 2);
            log.lasting(Outage.STOPPED, worker, millis, process::stop, process::resume);
        }
    }
}
