package dev.holdfast.check;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The history of one run.
 *
 * @param attempts in any order
 * @param writes in the order in which the registers decided
 * @param outages the faults, in any order
 * @param stalls times in which a worker's process did not run although no fault stopped it; the name has no meaning
 */
public record History(List<Attempt> attempts, List<Write> writes, List<Outage> outages, List<Outage> stalls) {

    public int grants() {
        return (int) attempts.stream().filter(Attempt::isGranted).count();
    }

    /** Returns how often each ending of an attempt or of a hold occurred. */
    public Map<Ending, Integer> endings() {
        Map<Ending, Integer> endings = new EnumMap<>(Ending.class);
        attempts.forEach(attempt -> endings.merge(attempt.ending, 1, Integer::sum));
        return endings;
    }

    /** Returns the number of writes that the registers refused. */
    public int refused() {
        return (int) writes.stream().filter(write -> !write.accepted()).count();
    }

    /** Returns how often each fault occurred. */
    public Map<String, Integer> faults() {
        Map<String, Integer> faults = new TreeMap<>();
        outages.forEach(outage -> faults.merge(outage.fault(), 1, Integer::sum));
        return faults;
    }
}
