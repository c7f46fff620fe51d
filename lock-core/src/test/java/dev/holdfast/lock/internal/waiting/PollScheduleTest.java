package dev.holdfast.lock.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.lease.Answer;
import dev.holdfast.lock.internal.lease.Answer.Busy;
import dev.holdfast.lock.internal.lease.Answer.Unknown;
import dev.holdfast.lock.internal.waiting.PollSchedule.Messages;
import dev.holdfast.lock.internal.waiting.PollSchedule.Refusal;
import dev.holdfast.lock.testing.VirtualClock;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** When to ask again. All times in ms. */
class PollScheduleTest {

    private static final long POLL = 1000;

    private final VirtualClock clock = new VirtualClock();
    private final PollSchedule schedule =
            new PollSchedule(Duration.ofMillis(POLL).toNanos(), () -> 1, Background.SYSTEM::random);
    private @Nullable Refusal last;

    @Test
    void roomThatHearsSleepsToItsPoll() {
        assertThat(sleepAfter(busy("a", 30_000), Messages.ARRIVE)).isBetween(POLL * 9 / 10, POLL + 1);
    }

    @Test
    void roomFarFromTheHeadSleepsForLonger() {
        Busy far = new Busy(Duration.ofSeconds(30).toNanos(), "a", null, 0, Busy.NOT_TOLD, false, false, false);
        assertThat(sleepAfter(far, Messages.ARRIVE)).isBetween(2_000L, 2_500L);
    }

    @Test
    void momentDoesNotMoveWhileTheRoomSleeps() {
        last = schedule.refused(null, busy("a", 30_000), clock.now());
        long askAt = schedule.askAt(last, Messages.ARRIVE);
        clock.advance(Duration.ofMillis(500));
        assertThat(schedule.askAt(last, Messages.ARRIVE)).isEqualTo(askAt);
    }

    @Test
    void roomAsksAtTheEndOfTheHoldersLease() {
        assertThat(sleepAfter(busy("a", 300), Messages.ARRIVE)).isEqualTo(301);
    }

    @Test
    void roomThatHearsNothingSleepsTwiceAsLongEachTimeUpToHalfASecond() {
        assertThat(sleepsAfter(() -> busy("a", 30_000), 6)).containsExactly(21, 42, 84, 168, 336, 501);
    }

    @Test
    void roomWaitsForItsSubscriptionForLongerAtFirst() {
        assertThat(sleepAfter(busy("a", 30_000), Messages.EXPECTED)).isEqualTo(201);
    }

    @Test
    void roomSleepsToItsPollWhileItsClientHasTheLock() {
        long sleep = schedule.askAtWhileHeldHere(clock.now()) - clock.now();
        assertThat(Duration.ofNanos(sleep).toMillis()).isBetween(POLL * 9 / 10, POLL);
    }

    @ParameterizedTest
    @EnumSource
    void roomsOfAClientTogetherAsk5000TimesASecondAtMost(Messages messages) {
        PollSchedule ofMany = new PollSchedule(schedule.pollNanos(), () -> 20_000, schedule.chance());
        Refusal refusal = ofMany.refused(null, busy("a", 30_000), clock.now());
        assertThat(Duration.ofNanos(ofMany.askAt(refusal, messages) - clock.now())
                        .toMillis())
                .isEqualTo(4_001);
    }

    @Test
    void newHolderBeginsAnew() {
        sleepsAfter(() -> busy("a", 30_000), 9);
        assertThat(sleepsAfter(() -> busy("b", 30_000), 3)).containsExactly(21, 42, 84);
        last = null;
        assertThat(sleepsAfter(() -> busy("b", 30_000), 3)).containsExactly(21, 42, 84);
    }

    @Test
    void sameHolderDoesNotBeginAnewAfterAnOutage() {
        assertThat(sleepsAfter(() -> busy("a", 30_000), 3)).containsExactly(21, 42, 84);
        last = schedule.refused(last, unknown(), clock.now());
        assertThat(sleepsAfter(() -> busy("a", 30_000), 1)).containsExactly(168);
    }

    @Test
    void roomBacksOffWhereRedisDoesNotAnswer() {
        assertThat(sleepsAfter(PollScheduleTest::unknown, 7)).containsExactly(10, 20, 40, 80, 160, 160, 160);
        last = schedule.refused(last, busy("a", 30_000), clock.now());
        assertThat(sleepsAfter(PollScheduleTest::unknown, 2)).containsExactly(10, 20);
    }

    private static Unknown unknown() {
        return new Unknown(new IllegalStateException(), true);
    }

    private static Busy busy(String holder, long leftMillis) {
        return new Busy(Duration.ofMillis(leftMillis).toNanos(), holder, null, 0, Busy.NOT_TOLD, true, false, false);
    }

    /** The sleeps of a room without messages after so many of these answers, each of them asked for when the sleep before is over. */
    private long[] sleepsAfter(Supplier<Answer> next, int times) {
        return LongStream.range(0, times)
                .map(i -> {
                    long sleep = sleepAfter(next.get(), Messages.NONE);
                    clock.advance(Duration.ofMillis(sleep));
                    return sleep;
                })
                .toArray();
    }

    private long sleepAfter(Answer answer, Messages messages) {
        last = schedule.refused(last, answer, clock.now());
        return Duration.ofNanos(schedule.askAt(last, messages) - clock.now()).toMillis();
    }
}
