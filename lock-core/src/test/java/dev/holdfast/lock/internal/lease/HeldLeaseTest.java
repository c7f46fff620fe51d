package dev.holdfast.lock.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LossCause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One lease from its grant to its end, on a virtual clock. */
class HeldLeaseTest {

    private static final Duration LEASE = Duration.ofSeconds(1);

    private final VirtualHolds holds = new VirtualHolds();

    @AfterEach
    void close() {
        holds.close();
    }

    private void advance(long millis) {
        holds.time.advance(Duration.ofMillis(millis));
    }

    /** The process was stopped, or Redis was, after the holder had asked for the release. */
    @Test
    void leaseThatRunsOutOnTheWayToItsReleaseIsNotLost() {
        HeldLease lease = holds.hold(VirtualHolds.renewed(LEASE));
        holds.releaseLatency = LEASE.plusMillis(200);
        CompletionStage<Void> released = lease.releaseAsync();

        advance(1_200);

        assertThat(released).isCompleted();
        assertThat(holds.losses).isEmpty();
    }

    /** The process was stopped for longer than the lease. What it does first when it goes on comes before any of its timers. */
    @Test
    void leaseIsOverByTheClockAloneBeforeATimerSaysSo() {
        HeldLease lease = holds.hold(VirtualHolds.renewed(LEASE));
        List<Boolean> isHeld = new ArrayList<>();
        holds.time.after(Duration.ofMillis(1), () -> isHeld.add(lease.isHeld()));

        holds.time.stall(LEASE.multipliedBy(2));

        assertThat(isHeld).containsExactly(false);
        assertThat(holds.lossCause()).isEqualTo(LossCause.UNCONFIRMED);
    }

    @Test
    void extensionOfAGivenLeaseNeverShortensItAndStopsAtTheMaximumHold() {
        HeldLease lease = holds.hold(VirtualHolds.fixed(LEASE.multipliedBy(10)));
        lease.extend(LEASE);
        assertThat(lease.remaining()).isEqualTo(Duration.ofMillis(9_500));

        HeldLease limited = holds.hold(VirtualHolds.fixedAtMost(LEASE.multipliedBy(3), LEASE));
        limited.extend(LEASE.multipliedBy(10));
        assertThat(limited.remaining()).isEqualTo(LEASE.multipliedBy(3));
        advance(3_000);
        assertThat(holds.lossCause()).isEqualTo(LossCause.MAX_HOLD);
    }

    @Test
    void newMaxHoldCountsFromNowAndReplacesTheOldOne() {
        HeldLease lease = holds.hold(VirtualHolds.atMost(Duration.ofSeconds(2), LEASE));
        advance(1_000);
        lease.maxHold(Duration.ofSeconds(5));
        advance(4_999);
        assertThat(lease.isHeld()).isTrue();
        advance(1);
        assertThat(holds.lossCause()).isEqualTo(LossCause.MAX_HOLD);
    }

    /** The end comes before the next round of renewals, which would notice it. */
    @Test
    void newMaxHoldThatIsShorterThanARenewalIsReportedAtItsEnd() {
        holds.hold(VirtualHolds.renewed(LEASE)).maxHold(Duration.ofMillis(100));
        advance(99);
        assertThat(holds.losses).isEmpty();
        advance(1);
        assertThat(holds.lossCause()).isEqualTo(LossCause.MAX_HOLD);
    }

    @Test
    void extensionReachesBeyondTheFirstMaxHoldAfterANewOne() {
        HeldLease lease = holds.hold(VirtualHolds.fixedAtMost(LEASE, LEASE));
        lease.maxHold(Duration.ofSeconds(10));
        lease.extend(Duration.ofSeconds(20));
        advance(9_999);
        assertThat(lease.isHeld()).isTrue();
        advance(1);
        assertThat(holds.lossCause()).isEqualTo(LossCause.MAX_HOLD);
    }

    @Test
    void veryLongMaxHoldIsNone() {
        HeldLease lease = holds.hold(VirtualHolds.atMost(LEASE, LEASE));
        lease.maxHold(Duration.ofSeconds(Long.MAX_VALUE));
        advance(100_000);
        assertThat(lease.isHeld()).isTrue();
    }
}
