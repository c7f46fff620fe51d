package dev.holdfast.lock.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Writes down every fault, with whom it struck and when. */
final class FaultLog {

    /** A step of a fault. */
    interface Deed {
        void run() throws InterruptedException;
    }

    private final List<Outage> outages = new ArrayList<>();

    /** A fault that lasts: it is ended whatever happens meanwhile. */
    void lasting(String fault, int worker, long millis, Deed begin, Deed end) throws InterruptedException {
        long from = System.nanoTime();
        try {
            begin.run();
            TimeUnit.MILLISECONDS.sleep(millis);
        } finally {
            end.run();
            note(new Outage(fault, worker, from, System.nanoTime()));
        }
    }

    void at(String fault, int worker, Deed deed) throws InterruptedException {
        lasting(fault, worker, 0, deed, () -> {});
    }

    private synchronized void note(Outage outage) {
        outages.add(outage);
    }

    synchronized List<Outage> outages() {
        return List.copyOf(outages);
    }

    /** How often each fault struck. */
    Map<String, Integer> counts() {
        Map<String, Integer> counts = new TreeMap<>();
        outages().forEach(outage -> counts.merge(outage.fault(), 1, Integer::sum));
        return counts;
    }
}
