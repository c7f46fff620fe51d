package dev.holdfast.lock.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.reign.Grace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When leases are renewed and when they end, on a virtual clock. */
class LeaseTableTest {

    private static final Duration LEASE = Duration.ofSeconds(1);

    private final VirtualHolds holds = new VirtualHolds();

    @AfterEach
    void close() {
        holds.close();
    }

    private void advance(long millis) {
        holds.time.advance(Duration.ofMillis(millis));
    }

    @Test
    void leaseIsRenewedThreeTimesALength() {
        HeldLease lease = holds.hold(VirtualHolds.renewed(LEASE));

        advance(60_000);

        assertThat(lease.isHeld()).isTrue();
        assertThat(holds.renewedAt).hasSizeBetween(180, 190);
    }

    @Test
    void leaseIsLostTheMomentItsValidityEnds() {
        HeldLease lease = holds.hold(VirtualHolds.renewed(LEASE));
        advance(5_000);
        holds.cut = true;
        long confirmedAt = holds.renewedAt.get(holds.renewedAt.size() - 1);
        long toTheEnd = confirmedAt + 950_000_000 - holds.time.now();

        holds.time.advance(Duration.ofNanos(toTheEnd - 1));
        assertThat(holds.losses).isEmpty();
        holds.time.advance(Duration.ofNanos(1));

        assertThat(holds.lossCause()).isEqualTo(LossCause.UNCONFIRMED);
        assertThat(lease.isHeld()).isFalse();
        assertThat(holds.livesFor(lease)).isPositive();
    }

    @Test
    void fixedLeaseEndsAndIsNotRenewed() {
        HeldLease lease = holds.hold(VirtualHolds.fixed(LEASE));

        advance(949);
        assertThat(lease.isHeld()).isTrue();
        advance(1);

        assertThat(holds.lossCause()).isEqualTo(LossCause.EXPIRED);
        assertThat(holds.renewedAt).isEmpty();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
    }

    /** The process was stopped during a renewal. Another owner may have the lock by the time that Redis executes it. */
    @Test
    void refusedRenewalWhoseAnswerComesAfterTheEndSaysThatNoneWasConfirmed() {
        HeldLease lease = holds.hold(VirtualHolds.renewed(LEASE));
        holds.loseKey(lease);
        holds.latency = LEASE.dividedBy(10);
        advance(350);

        holds.time.stall(LEASE);

        assertThat(holds.lossCause()).isEqualTo(LossCause.UNCONFIRMED);
    }

    /** Redis executes them one after the other, and so it may answer the first ones before the last ones are sent. */
    @Test
    void failedRenewalsOfManyLeasesAreRepeatedALittleAtATime() {
        for (int i = 0; i < 2_000; i++) {
            holds.hold(VirtualHolds.renewed(LEASE.multipliedBy(10)));
        }
        holds.cut = true;
        advance(3_300);
        assertThat(holds.batches).containsExactly(2_000);

        holds.cut = false;
        advance(700);

        assertThat(holds.batches.subList(1, holds.batches.size())).hasSize(10).allMatch(size -> size == 200);
        assertThat(holds.renewedAt).hasSize(2_000);
        advance(60_000);
        assertThat(holds.losses).isEmpty();
    }

    /** Redis was away for longer than the command timeout, and executes the renewal when it is back. */
    @Test
    void renewalThatIsConfirmedLateIsNotRepeated() {
        HeldLease lease = holds.hold(VirtualHolds.renewed(LEASE));
        long sentAt = holds.time.now();
        lease.renewalFailed(new IllegalStateException("no answer in time"));

        lease.renewalConfirmed(sentAt, lease.renewalNanos());
        advance(200);

        assertThat(holds.renewedAt).isEmpty();
    }

    @Test
    void extendedLeaseIsRenewedByItsTermsAgain() {
        HeldLease lease = holds.hold(VirtualHolds.renewed(LEASE));

        lease.extend(LEASE.multipliedBy(8));

        assertThat(lease.remaining()).isEqualTo(Duration.ofMillis(7_600));
        // While the extension lasts the holder may rely on it, and a dead holder's lock is free at its end.
        for (int i = 0; i < 75; i++) {
            advance(100);
            assertThat(lease.isHeld()).isTrue();
            assertThat(holds.livesFor(lease))
                    .isLessThanOrEqualTo(Duration.ofMillis(Math.max(8_000 - 100L * (i + 1), 1_000)));
        }
        // The link is cut 7.5 s after the extension.
        assertThat(holds.livesFor(lease)).isLessThanOrEqualTo(LEASE);
        advance(60_000);
        assertThat(lease.isHeld()).isTrue();
        assertThat(holds.livesFor(lease)).isLessThanOrEqualTo(LEASE);
    }

    @Test
    void renewalsDuringAnExtensionAreNotLate() {
        HeldLease lease = holds.hold(VirtualHolds.renewed(LEASE));
        lease.extend(LEASE.multipliedBy(8));

        for (int i = 0; i < 100; i++) {
            advance(100);
            assertThat(holds.table.renewalLag()).isZero();
        }
        holds.cut = true;
        advance(800);
        assertThat(holds.table.renewalLag()).isPositive();
    }

    @Test
    void nestedHoldWithALongerLeaseIsRenewedByThat() {
        HeldLease lease = holds.hold(VirtualHolds.fixed(LEASE));
        lease.extend(LEASE.multipliedBy(3));
        lease.keepRenewed(LEASE.multipliedBy(3).toNanos());

        advance(60_000);

        assertThat(lease.isHeld()).isTrue();
        assertThat(holds.livesFor(lease)).isBetween(LEASE.multipliedBy(2), LEASE.multipliedBy(3));
    }

    @Test
    void threadThatHasNotStartedYetIsNotDead() throws InterruptedException {
        Thread holder = new Thread(() -> {});
        HeldLease lease = holds.hold(VirtualHolds.boundTo(holder, LEASE, false));

        advance(10_000);
        assertThat(lease.isHeld()).isTrue();

        holder.start();
        holder.join();
        advance(1_000);
        assertThat(holds.lossCause()).isEqualTo(LossCause.ABANDONED);
    }

    @Test
    void leaseThatIsBoundToNoThreadOutlivesTheOneThatAcquiredIt() throws InterruptedException {
        List<HeldLease> leases = new ArrayList<>();
        Thread acquirer = new Thread(() -> leases.add(holds.hold(VirtualHolds.renewed(LEASE))));
        acquirer.start();
        acquirer.join();

        advance(10_000);

        assertThat(leases).allMatch(HeldLease::isHeld);
    }

    @Test
    void shortHoldsWithAMaximumLeaveNoTimerBehind() {
        for (int i = 0; i < 10_000; i++) {
            holds.hold(VirtualHolds.atMost(Duration.ofSeconds(10), Duration.ofSeconds(30)))
                    .close();
        }
        assertThat(holds.timer.pending()).as("timers that are armed").isLessThanOrEqualTo(2);
    }

    @Test
    void manyEndsAreTimedByOneTimerAndEachComesOnTime() {
        List<HeldLease> leases = new ArrayList<>();
        for (int i = 1_000; i >= 1; i--) {
            leases.add(0, holds.hold(VirtualHolds.atMost(Duration.ofMillis(10L * i), Duration.ofSeconds(30))));
        }
        assertThat(holds.scheduler.pending()).isLessThanOrEqualTo(2);

        for (int lost = 1; lost <= 1_000; lost++) {
            advance(10);
            assertThat(leases.get(lost - 1).isHeld()).isFalse();
            assertThat(holds.losses).hasSize(lost);
        }
    }

    @Test
    void leaseThatWasGrantedForAShortTimeIsRenewedBeforeThatEnds() {
        HeldLease lease = holds.hold(VirtualHolds.renewed(LEASE.multipliedBy(30)), LEASE);

        advance(60_000);

        assertThat(lease.isHeld()).isTrue();
        assertThat(holds.livesFor(lease)).isGreaterThan(LEASE.multipliedBy(19));
    }

    @Test
    void shortGrantThatIsReleasedSoonIsNotRenewed() {
        holds.hold(VirtualHolds.renewed(LEASE.multipliedBy(30)), LEASE).close();

        advance(60_000);

        assertThat(holds.renewedAt).isEmpty();
    }

    /** Counts the connections that have ended, and how often the client asserts what it knows besides its holds. */
    private final AtomicLong interruptions = new AtomicLong();

    private final AtomicInteger othersAsserted = new AtomicInteger();

    private Grace asserting() {
        Grace grace = Grace.of(LEASE.multipliedBy(90), LEASE.multipliedBy(30), Background.SYSTEM, holds.time::now);
        holds.table.assertHolds(grace, interruptions::get, othersAsserted::incrementAndGet);
        return grace;
    }

    @Test
    void everyHoldIsAssertedSoonAfterAConnectionHasEnded() {
        asserting();
        holds.hold(VirtualHolds.renewed(LEASE.multipliedBy(30)));
        holds.hold(VirtualHolds.fixed(LEASE.multipliedBy(30)));
        advance(1_000);
        assertThat(holds.batches).isEmpty();

        interruptions.incrementAndGet();
        advance(1_000);

        assertThat(holds.batches).containsExactly(2);
        assertThat(othersAsserted).hasValue(1);
    }

    @Test
    void everyHoldIsAssertedOnceForManyRefusalsByAClosedSlot() {
        Grace grace = asserting();
        holds.hold(VirtualHolds.renewed(LEASE.multipliedBy(30)));

        grace.holdersSpeak();
        grace.holdersSpeak();
        advance(1_000);

        assertThat(holds.batches).containsExactly(1);
        assertThat(othersAsserted).hasValue(1);
    }

    /** An assertion renews. */
    @Test
    void holdOfADeadThreadIsNotAsserted() throws InterruptedException {
        asserting();
        Thread holder = new Thread(() -> {});
        holds.hold(VirtualHolds.boundTo(holder, LEASE.multipliedBy(30), false));
        holder.start();
        holder.join();

        interruptions.incrementAndGet();
        advance(1_000);

        assertThat(othersAsserted).hasValue(1);
        assertThat(holds.renewedAt).isEmpty();
    }
}
