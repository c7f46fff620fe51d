package dev.holdfast.lock.test;

import static dev.holdfast.lock.test.LockAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseSemaphore;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.WrongLockKindException;
import dev.holdfast.lock.test.junit.HoldfastTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** What a test says of semaphores, of kinds, and of locks of several names. */
@HoldfastTest
class KindsAndNamesTest {

    private static final AcquireOptions A_SECOND = AcquireOptions.defaults().waitAtMost(Duration.ofSeconds(1));

    @Test
    void nextPermitIsBusyOnce(InMemoryLockClient locks) {
        for (LeaseSemaphore exports : List.of(locks.getSemaphore("exports", 2), locks.getFairSemaphore("imports", 2))) {
            locks.nextAcquisitionIsBusy(exports.name());

            assertThat(exports.tryAcquire(A_SECOND)).isEmpty();
            assertThat(exports.tryAcquire(A_SECOND)).hasValueSatisfying(Lease::close);
        }
    }

    @Test
    void permitsAreHeldElsewhere(InMemoryLockClient locks) {
        LeaseSemaphore exports = locks.getSemaphore("exports", 2);
        locks.holdElsewhere(exports);
        assertThat(exports.availablePermits()).isEqualTo(1);
        OtherHolder second = locks.holdElsewhere(exports);

        assertThat(exports.tryAcquire(A_SECOND)).isEmpty();
        second.release();
        assertThat(exports.tryAcquire()).hasValueSatisfying(Lease::close);
    }

    @Test
    void wrongKindNamesTheWayToHoldItElsewhere(InMemoryLockClient locks) {
        locks.holdElsewhere("exports");

        assertThatThrownBy(() -> locks.getSemaphore("exports", 2).acquire())
                .isInstanceOf(WrongLockKindException.class)
                .hasMessageContaining("locks.holdElsewhere(locks.getSemaphore(name, permits))");
        assertThatThrownBy(() -> locks.getLock("exports", LockKind.READ).acquire())
                .hasMessageContaining("locks.holdElsewhere(locks.getLock(name, LockKind.READ))");
    }

    @Test
    void lockOfSeveralNamesHoldsEachOfThem(InMemoryLockClient locks) {
        LeaseLock both = locks.getMultiLock(List.of("b", "a"));
        Lease lease = both.acquire();

        assertThat(locks)
                .acquired("a")
                .acquired("b")
                .isHeld("a")
                .isHeld(both.name())
                .isNotHeld("c");
        assertThatThrownBy(() -> assertThat(locks).neverHeld("a")).isInstanceOf(AssertionError.class);
        locks.lose("a");

        assertThat(lease.isHeld()).isFalse();
        assertThat(locks).wasLost("b").isNotHeld("a");
        locks.holdElsewhere("a");
        locks.holdElsewhere("b");
    }

    @Test
    void lockOfSeveralNamesIsBusyOnceWhereOneIs(InMemoryLockClient locks) {
        LeaseLock both = locks.getMultiLock(List.of("a", "b"));
        locks.nextAcquisitionIsBusy("a");

        assertThat(both.tryAcquire(A_SECOND)).isEmpty();
        assertThat(both.tryAcquire()).hasValueSatisfying(Lease::close);
    }

    @RepeatedTest(30)
    void waitersAreServedInTheOrderInWhichTheyCame(InMemoryLockClient locks) throws Exception {
        LeaseLock fair = locks.getLock("fair", LockKind.FAIR);
        OtherHolder other = locks.holdElsewhere(fair);
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int number = i;
            Thread thread = new Thread(() -> {
                fair.lock();
                order.add(number);
                fair.unlock();
            });
            threads.add(thread);
            thread.start();
            locks.awaitWaiters("fair", i + 1);
        }

        other.release();
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(order).containsExactly(0, 1, 2, 3);
    }
}
