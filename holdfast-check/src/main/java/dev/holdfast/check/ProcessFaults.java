package dev.holdfast.check;

import java.util.Random;

/**
 * Faults of a worker's process. It is stopped for a shorter or longer time than its lease, or killed. The other workers continue and acquire its
 * locks.
 */
public final class ProcessFaults implements Faults {

    private static final int LEASE = (int) Terms.LEASE.toMillis();

    private final Workers workers;
    private final int worker;
    private final FaultLog log;

    public ProcessFaults(Workers workers, int worker, FaultLog log) {
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
        // Kills are rare, because a process that starts takes the processor from all others.
        if (random.nextInt(25) == 0) {
            log.at("kill a worker", worker, process::killAndRestart);
        } else {
            // One stop in four is longer than a lease, or nearly.
            int millis = random.nextInt(4) == 0
                    ? LEASE * 9 / 10 + random.nextInt(LEASE * 14 / 10)
                    : LEASE / 20 + random.nextInt(LEASE / 3);
            log.lasting(Outage.STOPPED, worker, millis, process::stop, process::resume);
        }
    }
}
