package dev.holdfast.lock.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What Redis confirmed, and for how long it may be relied on: a lease of 1,000 sent at 100, less a twentieth. */
class GrantTest {

    private final Grant grant = new Grant("lock", "key", "owner", 7, 2, 100, 1_000);

    @Test
    void isValidFromTheSendingLessATwentieth() {
        assertThat(grant.validUntil()).isEqualTo(1_050);
    }

    @Test
    void confirmationCountsFromItsOwnSending() {
        assertThat(grant.confirm(400, 1_000, 900)).isTrue();
        assertThat(grant.validUntil()).isEqualTo(1_350);
        assertThat(grant.confirmedAt()).isEqualTo(400);
    }

    @Test
    void confirmationThatComesAfterTheDeadlineRevivesNothing() {
        assertThat(grant.confirm(1_000, 1_000, 1_050)).isFalse();
        assertThat(grant.validUntil()).isEqualTo(1_050);
    }

    @Test
    void confirmationsThatOvertakeEachOtherNeverShorten() {
        grant.confirm(400, 1_000, 500);
        assertThat(grant.confirm(300, 1_000, 600)).isTrue();
        assertThat(grant.validUntil()).isEqualTo(1_350);
    }

    @Test
    void leaseThatRedisWasToldCountsForItsReleaseButIsNotReliedOn() {
        grant.told(30_000);
        grant.told(500);

        assertThat(grant.leaseNanos()).isEqualTo(30_000);
        assertThat(grant.validUntil()).isEqualTo(1_050);
        grant.confirm(400, 1_000, 500);
        assertThat(grant.leaseNanos()).isEqualTo(30_000);
    }

    /** The server counts in microseconds, so what is less than one before a hold could be within it. */
    @Test
    void requestToStopIsForTheHolderAtThatTime() {
        assertThat(grant.asksToStop(8, 0)).isFalse();

        grant.stopRequested(50_000, 19);
        assertThat(grant.asksToStop(7, 0)).as("the first holder").isTrue();
        assertThat(grant.asksToStop(8, 30_000)).as("who began before it").isTrue();
        assertThat(grant.asksToStop(8, 30_001)).as("who began later").isFalse();

        grant.stopRequested(60_000, 20);
        assertThat(grant.asksToStop(8, 39_000)).as("a later request").isTrue();
        grant.stopRequested(90_000, 80);
        assertThat(grant.asksToStop(8, 39_000))
                .as("a renewal that was long on its way")
                .isTrue();
    }
}
