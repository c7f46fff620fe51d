package dev.holdfast.lock.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * The resources that this JVM, or several JVMs together, have used since the start.
 *
 * @param cpuNanos the CPU time of the whole process
 * @param allocatedBytes the bytes that its live threads have allocated
 * @param threads the number of live platform threads
 */
record JvmCost(long cpuNanos, long allocatedBytes, long threads) {

    static final JvmCost NONE = new JvmCost(0, 0, 0);
    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private static final ThreadMXBean THREADS = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

    static JvmCost now() {
        long allocated = 0;
        long[] threads = THREADS.getAllThreadIds();
        for (long bytes : THREADS.getThreadAllocatedBytes(threads)) {
            allocated += Math.max(0, bytes);
        }
        return new JvmCost(SYSTEM.getProcessCpuTime(), allocated, threads.length);
    }

    JvmCost plus(JvmCost other) {
        return new JvmCost(cpuNanos + other.cpuNanos, allocatedBytes + other.allocatedBytes, threads + other.threads);
    }

    JvmCost minus(JvmCost other) {
        return new JvmCost(cpuNanos - other.cpuNanos, allocatedBytes - other.allocatedBytes, threads - other.threads);
    }

    String line() {
        return cpuNanos + "," + allocatedBytes + "," + threads;
    }

    static JvmCost parse(String line) {
        String[] parts = line.split(",", -1);
        return new JvmCost(Long.parseLong(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]));
    }
}
