package dev.holdfast.lock.test;

import static dev.holdfast.lock.test.LockAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.test.junit.HoldfastTest;
import java.time.Duration;
import java.util.function.Consumer;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

@HoldfastTest
class LockAssertionsTest {

    private static void acquireAndRelease(InMemoryLockClient locks, String name) {
        locks.getLock(name).acquire().close();
    }

    @Test
    void whatHappenedIsConfirmed(InMemoryLockClient locks) {
        acquireAndRelease(locks, "order:42");
        Lease lease = locks.getLock("order:42").acquire();
        locks.note("charge");
        assertThat(locks).isHeld("order:42");
        lease.close();
        Lease lost = locks.getLock("lost").acquire();
        locks.lose("lost");
        locks.holdElsewhere("busy");
        AcquireOptions aSecond = AcquireOptions.defaults().waitAtMost(Duration.ofSeconds(1));
        Assertions.assertThat(locks.getLock("busy").tryAcquire(aSecond)).isEmpty();

        assertThat(locks)
                .acquired("order:42")
                .acquired("order:42", 2)
                .released("order:42")
                .isNotHeld("order:42")
                .tokensGrew("order:42")
                .heldWhile("order:42", "charge")
                .neverHeld("order:43")
                .wasLost(lost.lockName())
                .wasLost("lost", LossCause.GONE)
                .wasWaitedFor("busy")
                .wasBusy("busy")
                .neverHeld("busy");
    }

    @Test
    void whatDidNotHappenFailsWithTheHistory(InMemoryLockClient locks) {
        acquireAndRelease(locks, "order:42");
        locks.note("charge");

        assertFails(locks, "Lock 'other' was not acquired", all -> all.acquired("other"));
        assertFails(locks, "was acquired 1 times, not 2 times", all -> all.acquired("order:42", 2));
        assertFails(locks, "Lock 'order:42' was acquired", all -> all.neverHeld("order:42"));
        assertFails(locks, "was not held when 'charge' was noted", all -> all.heldWhile("order:42", "charge"));
        assertFails(locks, "'sent' was never noted", all -> all.heldWhile("order:42", "sent"));
        assertFails(locks, "Nobody waited", all -> all.wasWaitedFor("order:42"));
        assertFails(locks, "No caller was refused", all -> all.wasBusy("order:42"));
        assertFails(locks, "was not lost", all -> all.wasLost("order:42"));
        assertFails(locks, "is not held", all -> all.isHeld("order:42"));
        assertFails(locks, "Lock 'other' was not acquired", all -> all.tokensGrew("other"));
    }

    private static void assertFails(InMemoryLockClient locks, String message, Consumer<LockAssertions> assertion) {
        ThrowingCallable call = () -> assertion.accept(assertThat(locks));
        assertThatThrownBy(call)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(message)
                .hasMessageContaining("+0.000 s  lock 'order:42' acquired, token ")
                .hasMessageContaining("+0.000 s  lock 'order:42' released, token ")
                .hasMessageContaining("+0.000 s  note 'charge'");
    }
}
