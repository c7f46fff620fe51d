package dev.holdfast.lock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LogLines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The clock that a test moves, and what a test can do to the locks. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InMemoryLockClientTest {

    private static final String NAME = "order:42";

    @AutoClose
    private final InMemoryLockClient locks = InMemoryLockClient.create();

    private static AcquireOptions waiting(Duration wait) {
        return AcquireOptions.defaults().waitAtMost(wait);
    }

    @Test
    void leaseIsRenewedWhileTheClockMoves() {
        try (Lease lease = locks.getLock(NAME).acquire()) {
            locks.advance(Duration.ofHours(1));

            assertThat(lease.isHeld()).isTrue();
            assertThat(locks.time()).isEqualTo(Duration.ofHours(1));
        }
    }

    @Test
    void allLocksAreFoundByAPattern() {
        try (Lease order = locks.getLock(NAME).acquire();
                Lease stock = locks.getLock("stock", LockKind.READ).acquire()) {
            assertThat(locks.findLocks().locks())
                    .extracting(LockState::lockName)
                    .containsExactly(order.lockName(), stock.lockName());
            assertThat(locks.findLocks("[a-o]rde?:*").locks())
                    .extracting(LockState::owner)
                    .hasSize(1);
            assertThat(locks.findLocks("order:*").isComplete()).isTrue();
        }
        assertThat(locks.findLocks("*").locks()).isEmpty();
    }

    @Test
    void givenLeaseEndsWhenTheClockPassesIt() {
        List<LeaseLoss> losses = new ArrayList<>();
        Lease lease = locks.getLock(NAME).acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(10)));
        lease.onLost(losses::add);

        locks.advance(Duration.ofSeconds(9));
        assertThat(lease.isHeld()).isTrue();
        locks.advance(Duration.ofSeconds(1));

        assertThat(losses).extracting(LeaseLoss::cause).containsExactly(LossCause.EXPIRED);
        assertThat(locks.inspect(NAME)).isEmpty();
    }

    @Test
    void waitForAnotherInstanceEndsWhenItsTimeIsOver() {
        locks.holdElsewhere(NAME);

        assertThatThrownBy(() -> locks.getLock(NAME).acquire(waiting(Duration.ofHours(1))))
                .isInstanceOf(LockNotAcquiredException.class)
                .hasMessageContaining("another-instance");

        assertThat(locks.time())
                .isBetween(Duration.ofHours(1), Duration.ofHours(1).plusSeconds(5));
    }

    @Test
    void waiterGetsTheLockWhenAnotherInstancesLeaseEnds() {
        locks.holdElsewhere(NAME, Duration.ofMinutes(2));

        try (Lease lease = locks.getLock(NAME).acquire(waiting(Duration.ofHours(1)))) {
            assertThat(lease.isHeld()).isTrue();
            assertThat(locks.time()).isBetween(Duration.ofMinutes(2), Duration.ofMinutes(3));
        }
    }

    @Test
    void waiterGetsTheLockWhenAnotherInstanceReleasesIt() throws Exception {
        OtherHolder other = locks.holdElsewhere(NAME);
        CompletableFuture<Lease> waiter =
                locks.getLock(NAME).acquireAsync(waiting(Duration.ofHours(1))).toCompletableFuture();
        assertThat(waiter).isNotDone();

        other.release();

        assertThat(waiter.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS).isHeld())
                .isTrue();
        assertThat(locks.time()).isZero();
    }

    @Test
    void clockStandsStillWhereAcquisitionsSucceedWhileTheTestWaits() throws Exception {
        locks.getLock("first").acquire().close();
        Thread caller = new Thread(() -> {
            for (int i = 0; i < 300; i++) {
                locks.getLock("lock-" + i).acquire().close();
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
        });
        caller.start();
        caller.join();

        assertThat(locks.time()).isZero();
    }

    @Test
    void waitOfAnotherThreadEndsWhileTheTestWaitsForIt() {
        locks.autoAdvance();
        locks.holdElsewhere(NAME);

        CompletableFuture<Optional<Lease>> refused =
                CompletableFuture.supplyAsync(() -> locks.getLock(NAME).tryAcquire(waiting(Duration.ofSeconds(5))));

        assertThat(refused.join()).isEmpty();
    }

    @Test
    void expiredLeaseIsLostForWantOfRenewal() {
        AtomicReference<LeaseLoss> loss = new AtomicReference<>();
        Lease lease = locks.getLock(NAME).acquire();
        lease.onLost(loss::set);

        locks.expire(NAME);

        assertThat(loss.get().cause()).isEqualTo(LossCause.UNCONFIRMED);
        locks.holdElsewhere(NAME);
    }

    @Test
    void losingAFreeLockSaysWhoHoldsWhat() {
        locks.getLock("another").lock();

        assertThatThrownBy(() -> locks.lose(NAME))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'order:42' is not held")
                .hasMessageContaining("holds 'another'")
                .hasMessageContaining("InMemoryLockClientTest");
        locks.getLock("another").unlock();
    }

    @Test
    void nextAcquisitionThatWaitsIsBusyToItsEnd() throws InterruptedException {
        locks.nextAcquisitionIsBusy(NAME);

        assertThat(locks.getLock(NAME).tryLock(Duration.ofSeconds(3))).isFalse();
        assertThat(locks.time()).isGreaterThanOrEqualTo(Duration.ofSeconds(3));
        assertThat(locks.getLock(NAME).tryLock()).isTrue();
        locks.getLock(NAME).unlock();
    }

    @Test
    void leaseIsLostWhereRedisStaysUnavailable() {
        Lease lease = locks.getLock(NAME).acquire();
        locks.makeUnavailable();

        locks.advance(Duration.ofSeconds(20));
        assertThat(lease.isHeld()).isTrue();
        locks.advance(Duration.ofSeconds(10));

        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void answerBeyondTheCommandTimeoutIsNone() {
        locks.answerAfter(Duration.ofMinutes(1));

        assertThatThrownBy(() -> locks.getLock(NAME).acquire(waiting(Duration.ofSeconds(1))))
                .isInstanceOf(LockUnavailableException.class);
        locks.makeAvailable();
    }

    @Test
    void waitThatWouldNeverEndFailsAndSaysWhoHoldsWhat() {
        locks.holdElsewhere(NAME);

        assertThatThrownBy(() -> locks.getLock(NAME).lock())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("would never end")
                .hasMessageContaining("another instance holds 'order:42'");

        assertThat(locks.reset()).singleElement().asString().contains("waits for 'order:42'");
    }

    @Test
    void deadlockOfTwoThreadsFails() throws Exception {
        LeaseLock a = locks.getLock("a");
        LeaseLock b = locks.getLock("b");
        a.lock();
        CompletableFuture<Throwable> other = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    b.lock();
                    try {
                        a.lock();
                        other.complete(null);
                    } catch (RuntimeException e) {
                        other.complete(e);
                    }
                },
                "other");
        thread.start();
        while (locks.waitingLocks().isEmpty()) {
            Thread.onSpinWait();
        }

        assertThatThrownBy(b::lock)
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("thread 'other' holds 'b'");
        assertThat(other.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(LockUnavailableException.class);
    }

    @Test
    void resetReportsWhatWasLeftAndEndsIt() {
        locks.getLock(NAME).lock();
        locks.holdElsewhere("another");

        assertThat(locks.reset())
                .singleElement()
                .asString()
                .contains("holds 'order:42'")
                .contains("resetReportsWhatWasLeftAndEndsIt");
        assertThat(locks.reset()).isEmpty();
        assertThat(locks.getLock(NAME).tryLock()).isTrue();
        locks.getLock(NAME).unlock();
        locks.getLock("another").acquire().close();
    }

    @Test
    void lossElsewhereIsNoWarning() {
        try (LogLines log = LogLines.record()) {
            for (int i = 0; i < 8; i++) {
                locks.holdElsewhere("elsewhere-" + i, Duration.ofSeconds(30));
            }
            locks.advance(Duration.ofMinutes(1));
            Lease lease = locks.getLock(NAME).acquire();
            locks.lose(NAME);

            assertThat(lease.isHeld()).isFalse();
            assertThat(log.lines())
                    .singleElement(InstanceOfAssertFactories.STRING)
                    .contains("Lost the lease on lock '" + NAME + "'");
        }
    }
}
