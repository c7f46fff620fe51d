package dev.holdfast.check;

import java.util.List;
import java.util.Map;

/** The servers of a run, and the sources of faults for them. */
public interface Stage extends AutoCloseable {

    /** Returns the addresses of the servers for a worker. */
    Address address(int worker);

    /** Returns additional environment variables for a worker's process. */
    default Map<String, String> environment(int worker) {
        return Map.of();
    }

    /** Returns the sources of faults, which cause faults at the same time. */
    List<Faults> faults(Workers workers, FaultLog log);

    /** Called when all workers have begun, before the first fault. */
    default void started(Registers registers) {}

    /** Ends all faults. */
    void heal();

    /** Returns what is left in Redis after all workers have ended and all leases are over. */
    List<String> leftBehind();

    @Override
    void close();
}
