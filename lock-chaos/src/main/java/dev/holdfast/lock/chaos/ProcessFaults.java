package dev.holdfast.lock.chaos;

import java.util.Random;

/** A worker's process is stopped, for shorter or longer than its lease, or killed; the others go on and take over. */
final class ProcessFaults implements Faults {

    private static final int LEASE = (int) Terms.LEASE.toMillis();

    private final Workers workers;
    private final int worker;
    private final FaultLog log;

    ProcessFaults(Workers workers, int worker, FaultLog log) {
        this.workers = workers;
        this.worker = worker;
        this.log = log;
    }

    @Override
    public int pauseMillis() {
        return 250;
    }

    @Override
    public void strike(Random random) throws InterruptedException {
        WorkerProcess process = workers.get(worker);
        // A process that starts takes the processor from all others.
        if (random.nextInt(25) == 0) {
            log.at("kill a worker", worker, process::killAndRestart);
        } else {
            // One in four is longer than a lease, or nearly.
            int millis = random.nextInt(4) == 0
                    ? LEASE * 9 / 10 + random.nextInt(LEASE * 14 / 10)
                    : LEASE / 20 + random.nextInt(LEASE / 3);
            log.lasting(Outage.STOPPED, worker, millis, process::stop, process::resume);
        }
    }
}
