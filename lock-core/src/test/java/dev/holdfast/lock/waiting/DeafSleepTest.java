package dev.holdfast.lock.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DeafSleepTest {

    private static final long POLL = 1000;

    private final DeafSleep sleep = new DeafSleep();
    private final Waiter head = new Waiter(null, Waiter.FOREVER, 0);
    private final Waiter next = new Waiter(null, Waiter.FOREVER, 0);

    @Test
    void roomThatHearsSleepsToItsPoll() {
        sleep.asksFor(head);
        assertThat(millis(head)).isEqualTo(POLL);
    }

    @Test
    void deafRoomSleepsTwiceAsLongEachTimeUpToItsPoll() {
        sleep.begin();
        assertThat(sleepsOf(head, 9)).containsExactly(20, 40, 80, 160, 320, 640, POLL, POLL, POLL);
    }

    @Test
    void newHeadBeginsAnew() {
        sleep.begin();
        sleepsOf(head, 9);
        assertThat(millis(next)).isEqualTo(20);
        assertThat(sleepsOf(next, 3)).containsExactly(20, 40, 80);
    }

    private long[] sleepsOf(Waiter asker, int questions) {
        return IntStream.range(0, questions)
                .mapToLong(i -> {
                    sleep.asksFor(asker);
                    return millis(asker);
                })
                .toArray();
    }

    private long millis(Waiter sleeper) {
        return TimeUnit.NANOSECONDS.toMillis(sleep.atMost(TimeUnit.MILLISECONDS.toNanos(POLL), sleeper));
    }
}
