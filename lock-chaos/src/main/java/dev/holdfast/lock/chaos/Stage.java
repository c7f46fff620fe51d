package dev.holdfast.lock.chaos;

import java.util.List;
import java.util.Map;

/** The servers of a run, and what can break them. */
interface Stage extends AutoCloseable {

    /** Where a worker finds them. */
    Address address(int worker);

    /** What a worker's process has in its environment besides the usual. */
    default Map<String, String> environment(int worker) {
        return Map.of();
    }

    /** The sources of faults, which strike at the same time. */
    List<Faults> faults(Workers workers, FaultLog log);

    /** Ends all faults. */
    void heal();

    /** What is left in Redis although all workers have ended and all leases are over. */
    List<String> leftBehind();

    @Override
    void close();
}
