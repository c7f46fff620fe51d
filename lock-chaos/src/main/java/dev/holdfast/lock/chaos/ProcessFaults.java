package dev.holdfast.lock.chaos;

import java.util.List;
import java.util.Random;

/** One worker's process at a time is stopped, for shorter or longer than its lease, or killed; the others go on and take over. */
final class ProcessFaults implements Faults {

    private static final int LEASE = (int) Terms.LEASE.toMillis();

    private final Workers workers;
    private final List<Integer> victims;
    private final FaultLog log;

    ProcessFaults(Workers workers, List<Integer> victims, FaultLog log) {
        this.workers = workers;
        this.victims = victims;
        this.log = log;
    }

    @Override
    public int pauseMillis() {
        return 300;
    }

    @Override
    public void strike(Random random) throws InterruptedException {
        int worker = victims.get(random.nextInt(victims.size()));
        WorkerProcess process = workers.get(worker);
        if (random.nextInt(8) == 0) {
            log.at("kill a worker", worker, process::killAndRestart);
        } else {
            int millis = LEASE * 3 / 10 + random.nextInt(LEASE * 2);
            log.lasting(Outage.STOPPED, worker, millis, process::stop, process::resume);
        }
    }
}
