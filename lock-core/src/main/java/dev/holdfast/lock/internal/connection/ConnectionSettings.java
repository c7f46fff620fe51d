package dev.holdfast.lock.internal.connection;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Time limits of the connections.
 *
 * @param commandTimeout how long Redis may take to answer a command
 * @param connectTimeout how long an attempt to connect may take
 * @param reconnectDelay the pause between two attempts to connect
 */
public record ConnectionSettings(Duration commandTimeout, Duration connectTimeout, Duration reconnectDelay) {

    private static final Duration LONGEST_COMMAND = Duration.ofSeconds(2);
    private static final Duration LONGEST_CONNECT = Duration.ofMillis(500);
    private static final Duration LONGEST_DELAY = Duration.ofMillis(100);
    private static final Duration SHORTEST_FIRST_CONNECT = Duration.ofSeconds(2);
    private static final int FIRST_CONNECT_SHARE = 4;
    private static final Duration SHORTEST = Duration.ofMillis(50);

    /** Returns settings for a lease that the watchdog renews. They allow several tries of a renewal during the lease. */
    public static ConnectionSettings forLease(Duration lease) {
        return new ConnectionSettings(
                between(lease.dividedBy(3), LONGEST_COMMAND),
                between(lease.dividedBy(3), LONGEST_CONNECT),
                lease.dividedBy(10).compareTo(LONGEST_DELAY) < 0 ? lease.dividedBy(10) : LONGEST_DELAY);
    }

    /** Returns these settings with the given command timeout, if one is given. */
    public ConnectionSettings withCommandTimeout(@Nullable Duration given) {
        return given == null ? this : new ConnectionSettings(given, connectTimeout, reconnectDelay);
    }

    /**
     * Returns how long a client's first attempt to connect may take. This attempt gets more time, because it also loads classes and starts threads,
     * on a machine that may be busy.
     */
    public Duration firstConnectTimeout() {
        Duration ample = commandTimeout.plus(connectTimeout).multipliedBy(FIRST_CONNECT_SHARE);
        return ample.compareTo(SHORTEST_FIRST_CONNECT) < 0 ? SHORTEST_FIRST_CONNECT : ample;
    }

    private static Duration between(Duration wanted, Duration longest) {
        if (wanted.compareTo(SHORTEST) < 0) {
            return SHORTEST;
        }
        return wanted.compareTo(longest) > 0 ? longest : wanted;
    }
}
