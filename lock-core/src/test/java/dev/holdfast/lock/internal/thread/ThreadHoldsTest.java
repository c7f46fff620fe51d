package dev.holdfast.lock.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.thread.ThreadHolds.Hold;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ThreadHoldsTest {

    private static final int ROUNDS = 2_000;
    private static final LeaseLoss LOSS =
            new LeaseLoss("nightly", LockKind.REENTRANT, 1, LossCause.GONE, Duration.ZERO, Duration.ZERO, "gone");

    private final ThreadHolds<String> holds = new ThreadHolds<>();

    @Test
    void unlockAtTheMomentOfALossFindsTheLoss() throws InterruptedException {
        Thread holder = Thread.currentThread();
        for (int round = 0; round < ROUNDS; round++) {
            Hold<String> hold = holds.begin("lock", "lease");
            CountDownLatch begun = new CountDownLatch(1);
            Thread loser = new Thread(() -> {
                begun.countDown();
                holds.lost("lock", holder, hold, LOSS);
            });
            loser.start();
            begun.await();
            while (hold.count() == 1) {
                Thread.yield();
            }
            assertThat(holds.size()).isPositive();
            assertThat(hold.enter()).as("nested entry after the loss").isFalse();
            assertThat(holds.leave("lock", hold)).isNegative();
            assertThat(holds.leaveLost("lock")).as("round %d", round).isEqualTo(LOSS);
            loser.join();
        }
        assertThat(holds.size()).isZero();
    }
}
