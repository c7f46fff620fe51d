package dev.holdfast.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The times in which a worker could not run, because its process was stopped or the machine did not run it. */
final class Quiet {

    private final List<List<Outage>> byWorker = new ArrayList<>();

    Quiet(List<Outage> times, int workers) {
        for (int i = 0; i < workers; i++) {
            int worker = i;
            byWorker.add(
                    merged(times.stream().filter(time -> time.strikes(worker)).toList()));
        }
    }

    /** Merges times that overlap or touch. */
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

    /** Returns the length of a time without the parts in which the worker could not run; negative if the time ends before it begins. */
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
