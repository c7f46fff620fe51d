package dev.holdfast.lock.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * A day of holds on the virtual clock, with an outage each hour: what is planned and held does not grow, and renewals come as often in the last hour
 * as in the first.
 */
class DayOfHoldsTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final int STANDING = 8;

    private final VirtualHolds holds = new VirtualHolds();
    private final Random random = new Random(24);

    @Test
    void nothingGrowsInADay() {
        List<HeldLease> standing = new ArrayList<>();
        for (int i = 0; i < STANDING; i++) {
            standing.add(holds.hold(VirtualHolds.renewed(LEASE)));
        }
        List<Integer> renewals = new ArrayList<>();
        List<Integer> planned = new ArrayList<>();
        for (int hour = 0; hour < 24; hour++) {
            int before = holds.renewedAt.size();
            for (int minute = 0; minute < 60; minute++) {
                HeldLease shortly = holds.hold(VirtualHolds.renewed(LEASE));
                holds.time.advance(Duration.ofSeconds(1 + random.nextInt(40)));
                shortly.close();
                holds.time.advance(Duration.ofSeconds(20));
            }
            outage();
            renewals.add(holds.renewedAt.size() - before);
            planned.add(holds.timer.pending());
        }
        assertThat(standing).allMatch(HeldLease::isHeld);
        assertThat(holds.losses).isEmpty();
        assertThat(planned).as("tasks planned at the end of each hour").allMatch(count -> count <= planned.get(0) + 1);
        assertThat(renewals.get(23))
                .as("renewals of the last hour; of all: %s", renewals)
                .isBetween(renewals.get(0) * 8 / 10, renewals.get(0) * 12 / 10);
        standing.forEach(HeldLease::close);
        assertThat(holds.table.held()).isEmpty();
        holds.time.advance(LEASE);
        assertThat(holds.timer.pending()).as("tasks planned for nothing").isZero();
        holds.close();
    }

    /** Shorter than a lease: nothing is lost. */
    private void outage() {
        holds.cut = true;
        holds.time.advance(Duration.ofSeconds(10));
        holds.cut = false;
        holds.time.advance(Duration.ofSeconds(20));
    }
}
