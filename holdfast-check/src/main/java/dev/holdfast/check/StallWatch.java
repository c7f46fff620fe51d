package dev.holdfast.check;

import java.util.concurrent.TimeUnit;

/**
 * Reports times in which this process could not run, because the machine was busy or the process was stopped. A thread that only sleeps is scheduled
 * sooner than a thread that works, so other threads waited at least as long.
 */
final class StallWatch implements Runnable {

    private static final long STEP = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long STALL = TimeUnit.MILLISECONDS.toNanos(20);

    private final Journal journal;

    private StallWatch(Journal journal) {
        this.journal = journal;
    }

    static void start(Journal journal) {
        Thread thread = new Thread(new StallWatch(journal), "stall-watch");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run() {
        try {
            for (long last = System.nanoTime(); ; ) {
                TimeUnit.NANOSECONDS.sleep(STEP);
                long now = System.nanoTime();
                if (now - last > STALL) {
                    journal.tell("stall " + (last + STEP) + " " + now);
                }
                last = now;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
