package dev.holdfast.check;

import java.time.Duration;

/**
 * The promises that apply in a class of faults.
 *
 * @param oneHolder whether two holders are a violation, or are only counted
 * @param reportsLosses whether the library reports losses
 * @param leaseNanos the lease of every holder
 * @param tokenSlackNanos the time after a grant in which a request may still get a smaller token
 * @param freeBoundNanos the time for which a lock may be free while a caller waits
 * @param waitBoundNanos the time by which a wait may be overrun
 * @param lossBoundNanos the time by which the report of a loss may be later than the lease's first "not held"
 */
public record Terms(
        boolean oneHolder,
        boolean reportsLosses,
        long leaseNanos,
        long tokenSlackNanos,
        long freeBoundNanos,
        long waitBoundNanos,
        long lossBoundNanos) {

    public static final Duration LEASE = Duration.ofSeconds(1);
    static final Duration POLL = Duration.ofSeconds(1);
    static final Duration COMMAND_TIMEOUT = LEASE.dividedBy(3);

    /** The time after a grant in which a client hands the lock over in memory. It matters only if Redis loses data. */
    static final Duration HAND_OVER = Duration.ofMillis(20);

    private static final long SLACK = Duration.ofMillis(500).toNanos();

    /** Returns the terms for Redis servers that lose no confirmed data. */
    public static Terms dataIsKept() {
        return new Terms(
                true,
                true,
                LEASE.toNanos(),
                0,
                POLL.plus(COMMAND_TIMEOUT).plus(LEASE).toNanos(),
                COMMAND_TIMEOUT.toNanos() + SLACK,
                SLACK);
    }

    /** Returns the terms for Redis servers that lose locks, so that only tokens protect. */
    public static Terms dataIsLost(Duration reconnecting) {
        return new Terms(
                false,
                true,
                LEASE.toNanos(),
                HAND_OVER.toNanos(),
                POLL.plus(COMMAND_TIMEOUT).plus(LEASE).plus(reconnecting).toNanos(),
                COMMAND_TIMEOUT.toNanos() + SLACK,
                SLACK);
    }

    /** Returns the failover grace of Holdfast's clients, which the option {@code grace} sets in seconds. */
    public static Duration grace() {
        return Duration.ofSeconds(Integer.getInteger("grace", 0));
    }

    /** Returns the terms for servers that lose locks in new reigns, and clients with a grace. */
    public Terms withGrace() {
        return new Terms(
                true,
                reportsLosses,
                leaseNanos,
                tokenSlackNanos,
                freeBoundNanos + grace().plus(POLL).toNanos(),
                waitBoundNanos,
                lossBoundNanos);
    }

    public Terms withoutLossReports() {
        return new Terms(oneHolder, false, leaseNanos, tokenSlackNanos, freeBoundNanos, waitBoundNanos, lossBoundNanos);
    }
}
