package dev.holdfast.lock.chaos;

import java.time.Duration;

/**
 * What is promised in a class of faults.
 *
 * @param oneHolder whether two holders are a violation, or only counted
 * @param reportsLosses whether the library reports losses
 * @param leaseNanos the lease of every holder
 * @param tokenSlackNanos for how long after a grant a smaller token may still be asked for
 * @param freeBoundNanos how long a free lock may be granted to nobody
 * @param waitBoundNanos by how much a wait may be overrun
 * @param lossBoundNanos how much later than its first refusal a lease may report its loss
 */
record Terms(
        boolean oneHolder,
        boolean reportsLosses,
        long leaseNanos,
        long tokenSlackNanos,
        long freeBoundNanos,
        long waitBoundNanos,
        long lossBoundNanos) {

    static final Duration LEASE = Duration.ofSeconds(1);
    static final Duration POLL = Duration.ofSeconds(1);
    static final Duration COMMAND_TIMEOUT = LEASE.dividedBy(3);

    /** For this time after it was granted a lock, a client passes it on in memory. Matters only where Redis loses data. */
    static final Duration HAND_OVER = Duration.ofMillis(20);

    private static final long SLACK = Duration.ofMillis(500).toNanos();

    /** Redis loses nothing that it confirmed. */
    static Terms dataIsKept() {
        return new Terms(
                true,
                true,
                LEASE.toNanos(),
                0,
                POLL.plus(COMMAND_TIMEOUT).plus(LEASE).toNanos(),
                COMMAND_TIMEOUT.toNanos() + SLACK,
                SLACK);
    }

    /** Redis forgets locks: only the tokens protect. */
    static Terms dataIsLost(Duration reconnecting) {
        return new Terms(
                false,
                true,
                LEASE.toNanos(),
                HAND_OVER.toNanos(),
                POLL.plus(COMMAND_TIMEOUT).plus(LEASE).plus(reconnecting).toNanos(),
                COMMAND_TIMEOUT.toNanos() + SLACK,
                SLACK);
    }

    Terms withoutLossReports() {
        return new Terms(oneHolder, false, leaseNanos, tokenSlackNanos, freeBoundNanos, waitBoundNanos, lossBoundNanos);
    }
}
