package dev.holdfast.lock.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.waiting.Answer.Busy;
import dev.holdfast.lock.internal.waiting.Answer.Unknown;
import dev.holdfast.lock.testing.VirtualClock;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** When to ask again. All times in ms. */
class LastAnswerTest {

    private static final long POLL = 1000;

    private final VirtualClock clock = new VirtualClock();
    private final LastAnswer answer =
            new LastAnswer(clock, Duration.ofMillis(POLL).toNanos(), () -> 1, Background.SYSTEM::random);

    @Test
    void roomThatHearsSleepsToItsPoll() {
        answer.refused(busy("a", 30_000));
        assertThat(sleep()).isBetween(POLL * 9 / 10, POLL + 1);
    }

    @Test
    void roomAsksAtTheEndOfTheHoldersLease() {
        answer.refused(busy("a", 300));
        assertThat(sleep()).isEqualTo(301);
    }

    @Test
    void roomThatHearsNothingSleepsTwiceAsLongEachTimeUpToHalfASecond() {
        answer.signals(false, false);
        assertThat(sleepsAfter(() -> busy("a", 30_000), 6)).containsExactly(21, 42, 84, 168, 336, 501);
    }

    @Test
    void roomWaitsForItsSubscriptionForLongerAtFirst() {
        answer.refused(busy("a", 30_000));
        answer.signals(false, true);
        assertThat(sleep()).isEqualTo(201);
    }

    @Test
    void newHolderBeginsAnew() {
        answer.signals(false, false);
        sleepsAfter(() -> busy("a", 30_000), 9);
        assertThat(sleepsAfter(() -> busy("b", 30_000), 3)).containsExactly(21, 42, 84);
        answer.granted();
        assertThat(sleepsAfter(() -> busy("b", 30_000), 3)).containsExactly(21, 42, 84);
    }

    @Test
    void sameHolderDoesNotBeginAnewAfterAnOutage() {
        answer.signals(false, false);
        assertThat(sleepsAfter(() -> busy("a", 30_000), 3)).containsExactly(21, 42, 84);
        answer.refused(new Unknown(new IllegalStateException(), true));
        assertThat(sleepsAfter(() -> busy("a", 30_000), 1)).containsExactly(168);
    }

    @Test
    void roomBacksOffWhereRedisDoesNotAnswer() {
        Supplier<Answer> unknown = () -> new Unknown(new IllegalStateException(), true);
        assertThat(sleepsAfter(unknown, 7)).containsExactly(10, 20, 40, 80, 160, 160, 160);
        answer.refused(busy("a", 30_000));
        assertThat(sleepsAfter(unknown, 2)).containsExactly(10, 20);
    }

    private static Busy busy(String holder, long leftMillis) {
        return new Busy(Duration.ofMillis(leftMillis).toNanos(), holder, null, 0, Busy.NOT_TOLD, true, false);
    }

    /** The sleeps after so many of these answers, each of them asked for when the sleep before is over. */
    private long[] sleepsAfter(Supplier<Answer> next, int times) {
        return LongStream.range(0, times)
                .map(i -> {
                    answer.refused(next.get());
                    long sleep = sleep();
                    clock.advance(Duration.ofMillis(sleep));
                    return sleep;
                })
                .toArray();
    }

    private long sleep() {
        return Duration.ofNanos(answer.askAt() - clock.now()).toMillis();
    }
}
