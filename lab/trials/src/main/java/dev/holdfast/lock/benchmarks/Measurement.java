package dev.holdfast.lock.benchmarks;

/**
 * The work of a fleet in a period, and its costs for the server and the fleet.
 *
 * @param counts the counts of the fleet's threads
 * @param usage the use of the server
 */
record Measurement(Counts counts, Usage usage) {

    static final String RATE = "acquired/s";
    static final String CLIENT_CPU = "client CPU, µs";
    static final String SERVER_CPU = "Redis CPU, µs";
    static final String COMMANDS = "commands";
    static final String INNER_COMMANDS = "inner commands";
    static final String BYTES_IN = "bytes to Redis";
    static final String BYTES_OUT = "bytes to clients";
    static final String ALLOCATED = "bytes allocated";

    /** Returns a sum divided by the number of acquisitions. */
    double each(double sum) {
        return sum / Math.max(1, counts.total());
    }

    double each(long sum) {
        return each((double) sum);
    }

    double perSecond(long sum) {
        return sum / usage.seconds();
    }

    void addTo(Table.Row row) {
        row.add(RATE, perSecond(counts.total()))
                .add(CLIENT_CPU, each(counts.cost().cpuNanos() / 1e3))
                .add(SERVER_CPU, each(usage.cpuMicros()))
                .add(COMMANDS, each(usage.commands()))
                .add(INNER_COMMANDS, each(usage.innerCommands()))
                .add(BYTES_IN, each(usage.bytesIn()))
                .add(BYTES_OUT, each(usage.bytesOut()))
                .add(ALLOCATED, each(counts.cost().allocatedBytes()));
    }
}
