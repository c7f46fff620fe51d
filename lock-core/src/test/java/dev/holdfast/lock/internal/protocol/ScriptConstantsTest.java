package dev.holdfast.lock.internal.protocol;

import static dev.holdfast.lock.redis.fixture.ScriptConstants.constant;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.internal.inspect.LockInspector;
import dev.holdfast.lock.internal.protocol.LockProtocol.AcquireRequest;
import dev.holdfast.lock.internal.waiting.PollSchedule;
import dev.holdfast.lock.redis.fixture.ScriptConnection;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Numbers that scripts and clients both know are the same numbers. */
class ScriptConstantsTest {

    private static String lifetimeOfADeafPlace() {
        return new AcquireRequest(
                        "",
                        "",
                        "",
                        ScriptConnection.terms(1_000),
                        1,
                        0,
                        PollSchedule.USUAL_LIFETIME_MILLIS,
                        false,
                        null)
                .placeLifetime();
    }

    @Test
    void placesLiveForTheUsualLifetime() {
        assertThat(constant("LIFETIME")).isEqualTo(Long.toString(PollSchedule.USUAL_LIFETIME_MILLIS));
        assertThat(constant("USUAL_LIFETIME")).isEqualTo(lifetimeOfADeafPlace());
    }

    /** A client that cannot hear asks twice in the time in which a release may grant it the lock, so it finds the grant. */
    @Test
    void clientsWithoutMessagesAskTwiceWhileTheyMayBeGranted() {
        assertThat(Double.parseDouble(lifetimeOfADeafPlace()) % 1).isEqualTo(0.5);
        assertThat(constant("NOT_LISTENING"))
                .isEqualTo("{[0.5] = " + 2 * toMillis(PollSchedule.LONGEST_SLEEP_WITHOUT_MESSAGES) + ", [0.75] = "
                        + PollSchedule.USUAL_LIFETIME_MILLIS + "}");
        assertThat(PollSchedule.FIRST_SLEEP_WHILE_SUBSCRIBING).isLessThan(PollSchedule.LONGEST_SLEEP_WITHOUT_MESSAGES);
    }

    /** A place counts as dead if its client has not asked for longer than a live one sleeps. */
    @Test
    void liveClientsAskBeforeTheirPlacesCountAsDead() {
        long gone = Long.parseLong(constant("GONE"));

        assertThat(PollSchedule.USUAL_LIFETIME_MILLIS - gone).isGreaterThan(toMillis(PollSchedule.FAR_SLEEP));
    }

    private static long toMillis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    @Test
    void releasesGrantTheUsualFirstLease() {
        assertThat(constant("FIRST_LEASE")).isEqualTo(Long.toString(OwnerId.USUAL_FIRST_LEASE_MILLIS));
    }

    @Test
    void numbersHaveAsManyTokens() {
        assertThat(constant("TOKENS")).isEqualTo(Integer.toString(FencingTokens.FOR_EACH_GRANT));
    }

    @Test
    void leasesHaveTheSameBounds() {
        assertThat(constant("SHORTEST_LEASE")).isEqualTo(Long.toString(AcquireOptions.MIN_LEASE.toMillis()));
        assertThat(constant("LONGEST_LEASE")).isEqualTo(Long.toString(AcquireOptions.MAX_LEASE.toMillis()));
    }

    @Test
    void recordsHaveTheSameBound() {
        assertThat(constant("LONGEST_TEXT")).isEqualTo(Integer.toString(LockRecord.MAX_BYTES));
    }

    @Test
    void asManyHoldersAreNamedAsAreRead() {
        assertThat(constant("MOST_HOLDERS")).isEqualTo(Integer.toString(LockInspector.MOST_NAMED));
    }
}
