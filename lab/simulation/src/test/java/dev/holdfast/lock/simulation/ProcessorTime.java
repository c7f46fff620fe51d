package dev.holdfast.lock.simulation;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** Measures what this process has computed, so that a budget allows the same on a busy machine. */
public final class ProcessorTime {

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private ProcessorTime() {}

    /** Returns the time in ns that all threads of this process have run. */
    public static long nanos() {
        return SYSTEM.getProcessCpuTime();
    }

    /** Returns the moment at which this process will have run for so many seconds more. */
    static long in(int seconds) {
        return nanos() + seconds * 1_000_000_000L;
    }
}
