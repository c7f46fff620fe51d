package dev.holdfast.lock.internal.protocol;

import static dev.holdfast.lock.redis.fixture.ScriptConstants.constant;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.internal.inspect.LockInspector;
import dev.holdfast.lock.internal.protocol.LockProtocol.AcquireRequest;
import dev.holdfast.lock.internal.protocol.LockProtocol.AcquireRequest.Hearing;
import dev.holdfast.lock.internal.waiting.PollSchedule;
import dev.holdfast.lock.redis.fixture.ScriptConnection;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Numbers that scripts and clients both know are the same numbers. */
class ScriptConstantsTest {

    private static String lifetime(Hearing hearing) {
        return new AcquireRequest(
                        "",
                        "",
                        "",
                        ScriptConnection.terms(1_000),
                        1,
                        0,
                        PollSchedule.USUAL_LIFETIME_MILLIS,
                        hearing,
                        null)
                .placeLifetime();
    }

    @Test
    void placesLiveForTheUsualLifetime() {
        assertThat(constant("lib/queue", "LIFETIME")).isEqualTo(Long.toString(PollSchedule.USUAL_LIFETIME_MILLIS));
        assertThat(constant("lib/arguments", "USUAL_LIFETIME")).isEqualTo(lifetime(Hearing.SOON));
    }

    @Test
    void scriptsKnowEachFractionOfALifetime() {
        String known = constant("lib/queue", "NOT_LISTENING");

        for (Hearing hearing : List.of(Hearing.SOON, Hearing.NO)) {
            assertThat(known).contains("[" + Double.parseDouble(lifetime(hearing)) % 1 + "] =");
        }
    }

    @Test
    void releasesGrantTheUsualFirstLease() {
        assertThat(constant("lib/owner", "FIRST_LEASE")).isEqualTo(Long.toString(OwnerId.USUAL_FIRST_LEASE_MILLIS));
    }

    @Test
    void numbersHaveAsManyTokens() {
        assertThat(constant("lib/clock", "TOKENS")).isEqualTo(Integer.toString(FencingTokens.FOR_EACH_GRANT));
    }

    @Test
    void leasesHaveTheSameBounds() {
        assertThat(constant("lib/common", "SHORTEST_LEASE"))
                .isEqualTo(Long.toString(AcquireOptions.MIN_LEASE.toMillis()));
        assertThat(constant("lib/common", "LONGEST_LEASE"))
                .isEqualTo(Long.toString(AcquireOptions.MAX_LEASE.toMillis()));
    }

    @Test
    void recordsHaveTheSameBound() {
        assertThat(constant("record-write", "LONGEST_TEXT")).isEqualTo(Integer.toString(LockRecord.MAX_BYTES));
    }

    @Test
    void asManyHoldersAreNamedAsAreRead() {
        assertThat(constant("inspect", "MOST_HOLDERS")).isEqualTo(Integer.toString(LockInspector.MOST_NAMED));
    }
}
