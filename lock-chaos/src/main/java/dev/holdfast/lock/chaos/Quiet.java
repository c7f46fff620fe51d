package dev.holdfast.lock.chaos;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Times in which a worker could do nothing: its process was stopped, or the machine did not run it. */
final class Quiet {

    private final List<List<Outage>> byWorker = new ArrayList<>();

    Quiet(List<Outage> times, int workers) {
        for (int i = 0; i < workers; i++) {
            int worker = i;
            byWorker.add(
                    merged(times.stream().filter(time -> time.strikes(worker)).toList()));
        }
    }

    /** Times that overlap or touch, as one. */
    static List<Outage> merged(List<Outage> times) {
        List<Outage> merged = new ArrayList<>();
        for (Outage time :
                times.stream().sorted(Comparator.comparingLong(Outage::from)).toList()) {
            Outage last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
            if (last != null && time.from() <= last.until()) {
                merged.set(
                        merged.size() - 1,
                        new Outage(last.fault(), last.worker(), last.from(), Math.max(last.until(), time.until())));
            } else {
                merged.add(time);
            }
        }
        return merged;
    }

    /** How much of a time is left without those in which the worker could do nothing; negative if it ends before it begins. */
    long without(int worker, long from, long until) {
        long left = until - from;
        if (left <= 0 || worker >= byWorker.size()) {
            return left;
        }
        List<Outage> times = byWorker.get(worker);
        for (int i = firstEndingAfter(times, from);
                i < times.size() && times.get(i).from() < until;
                i++) {
            left -= Math.min(until, times.get(i).until())
                    - Math.max(from, times.get(i).from());
        }
        return left;
    }

    private static int firstEndingAfter(List<Outage> times, long at) {
        int low = 0;
        int high = times.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (times.get(middle).until() <= at) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
