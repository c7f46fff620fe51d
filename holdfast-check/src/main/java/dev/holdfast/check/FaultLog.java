package dev.holdfast.check;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Records every fault, with its time and the worker that it affected. */
public final class FaultLog {

    /** A step of a fault. */
    public interface Deed {
        void run() throws InterruptedException;
    }

    private final List<Outage> outages = new ArrayList<>();

    /** Causes a fault that lasts for some time. The fault is ended even if an exception is thrown meanwhile. */
    public void lasting(String fault, int worker, long millis, Deed begin, Deed end) throws InterruptedException {
        long from = System.nanoTime();
        try {
            begin.run();
            TimeUnit.MILLISECONDS.sleep(millis);
        } finally {
            end.run();
            note(new Outage(fault, worker, from, System.nanoTime()));
        }
    }

    public void at(String fault, int worker, Deed deed) throws InterruptedException {
        lasting(fault, worker, 0, deed, () -> {});
    }

    public synchronized void note(Outage outage) {
        outages.add(outage);
    }

    public synchronized List<Outage> outages() {
        return List.copyOf(outages);
    }
}
