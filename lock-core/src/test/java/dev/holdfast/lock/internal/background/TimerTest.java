package dev.holdfast.lock.internal.background;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimerTest {

    private final VirtualClock clock = new VirtualClock();
    private final VirtualClock.Scheduler scheduler = clock.scheduler();
    private final Timer timer = Timer.on(scheduler, clock);
    private final List<Integer> ran = new ArrayList<>();

    private Timer.Timeout plan(int millis) {
        return timer.after(Duration.ofMillis(millis).toNanos(), () -> ran.add(millis));
    }

    private void pass(int millis) {
        clock.advance(Duration.ofMillis(millis));
    }

    @Test
    void tasksRunOnceAtTheirTime() {
        plan(20);
        plan(10);
        pass(9);
        assertThat(ran).isEmpty();

        pass(1);
        assertThat(ran).containsExactly(10);

        pass(1_000);
        assertThat(ran).containsExactly(10, 20);
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void tasksForOneMomentRunInTheOrderOfTheirPlanning() {
        for (int i = 0; i < 100; i++) {
            int number = i;
            timer.after(5, () -> ran.add(number));
        }
        pass(1);

        assertThat(ran).hasSize(100).isSorted();
    }

    @Test
    void manyTasksPlannedAndCanceledInAnyOrderRunInTheOrderOfTheirTimes() {
        Random random = new Random(7);
        TreeMap<Integer, Timer.Timeout> planned = new TreeMap<>();
        for (int i = 0; i < 10_000; i++) {
            int millis = random.nextInt(100_000);
            Timer.Timeout present = random.nextInt(3) == 0 ? planned.remove(millis) : null;
            if (present != null) {
                present.cancel();
            } else if (!planned.containsKey(millis)) {
                planned.put(millis, plan(millis));
            } else if (random.nextBoolean()) {
                planned.pollFirstEntry().getValue().cancel();
            }
        }
        assertThat(timer.pending()).isEqualTo(planned.size());
        assertThat(scheduler.pending()).as("alarms").isOne();
        pass(100_000);

        assertThat(ran).containsExactlyElementsOf(planned.keySet());
        assertThat(timer.pending()).isZero();
    }

    @Test
    void limitPassesWhenTheEventLoopHadTimeToRead() {
        Timer.Timeout canceled = timer.afterReading(Duration.ofMillis(10).toNanos(), () -> ran.add(1));
        timer.afterReading(Duration.ofMillis(10).toNanos(), () -> ran.add(2));
        pass(10);
        canceled.cancel();
        assertThat(ran).isEmpty();

        pass(5);

        assertThat(ran).containsExactly(2);
        assertThat(scheduler.pending()).isZero();
    }

    /** It was planned too late already, or it rang too late. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void limitPassesLaterAfterAPause(boolean isPlannedLate) {
        timer.afterReading(Duration.ofMillis(isPlannedLate ? -60 : 10).toNanos(), () -> ran.add(1));
        clock.stall(Duration.ofMillis(70));
        pass(99);
        assertThat(ran).isEmpty();

        pass(1);

        assertThat(ran).containsExactly(1);
    }

    @Test
    void canceledTaskDoesNotRunAndIsForgotten() {
        Timer.Timeout canceled = plan(10);
        plan(20);
        canceled.cancel();
        canceled.cancel();
        assertThat(timer.pending()).isOne();
        pass(20);
        canceled.cancel();

        assertThat(ran).containsExactly(20);
    }

    @Test
    void taskThatThrowsStopsNoOther() {
        timer.after(1, () -> {
            throw new IllegalStateException("thrown by a task");
        });
        timer.after(1, () -> {
            plan(3);
            ran.add(1);
        });
        pass(5);

        assertThat(ran).containsExactly(1, 3);
    }

    /** An alarm that stays after a cancellation wakes the thread once for nothing. That is cheaper than to move it with each release. */
    @Test
    void cancellationsLeaveOneAlarm() {
        for (int i = 0; i < 1_000; i++) {
            plan(10 + i % 7).cancel();
        }

        assertThat(timer.pending()).isZero();
        assertThat(scheduler.pending()).isOne();
        pass(20);
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void overdueTasksRunAfterAPause() {
        plan(10);
        plan(20);
        plan(90);
        clock.stall(Duration.ofMillis(50));

        assertThat(ran).containsExactly(10, 20);
    }
}
