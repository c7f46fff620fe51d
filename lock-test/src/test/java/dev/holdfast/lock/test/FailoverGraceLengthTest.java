package dev.holdfast.lock.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Renewed leases and a failover grace of several lengths, with the usual watchdog timeout. */
class FailoverGraceLengthTest {

    private static final Duration WATCHDOG_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration RENEWAL = WATCHDOG_TIMEOUT.dividedBy(3);
    private static final int LOSSES = 30;

    enum Loss {
        RESTART,
        FLUSH
    }

    @ParameterizedTest
    @CsvSource({
        "RESTART, 1.5",
        "RESTART, 1.9",
        "RESTART, 3",
        "RESTART, 6",
        "FLUSH, 1.5",
        "FLUSH, 1.9",
        "FLUSH, 3",
        "FLUSH, 6"
    })
    void runUnderWayGoesOnHoweverLongTheGraceIs(Loss loss, double watchdogTimeouts) {
        Duration grace = Duration.ofMillis((long) (watchdogTimeouts * WATCHDOG_TIMEOUT.toMillis()));

        assertThat(IntStream.range(0, LOSSES).filter(number -> goesOn(number, loss, grace)))
                .hasSize(LOSSES);
    }

    /** Returns whether a lease outlives a loss of data, at one of several times between two renewals. */
    private static boolean goesOn(int number, Loss loss, Duration grace) {
        SimulatedFleet fleet = SimulatedFleet.create(number, 1, settings -> settings.failoverGrace(grace));
        fleet.server.command("set", "holdfast:open:" + fleet.server.reign(), "1");
        Lease lease = fleet.client(0).getLock("job").tryAcquire().orElseThrow();
        fleet.advance(WATCHDOG_TIMEOUT.plus(RENEWAL.multipliedBy(number).dividedBy(LOSSES)));

        if (loss == Loss.RESTART) {
            fleet.disconnect(0);
            fleet.server.beginReign();
        }
        fleet.server.restore(Map.of());
        if (loss == Loss.RESTART) {
            fleet.advance(Duration.ofSeconds(1));
            fleet.reconnect(0);
        }
        fleet.advance(grace.plus(WATCHDOG_TIMEOUT));

        return lease.isHeld();
    }
}
