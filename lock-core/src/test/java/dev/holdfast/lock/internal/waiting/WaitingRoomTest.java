package dev.holdfast.lock.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.waiting.SteppedLock.Releases;
import dev.holdfast.lock.internal.waiting.WaitableLock.Fit;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a room costs: its requests and its timers. That nobody waits in vain, {@link StepOrdersTest} and the simulation show. */
class WaitingRoomTest {

    /** For so long after its grant, a holder of this client hands the lock over. */
    private static final Duration HANDED_OVER = Duration.ofMillis(20);

    private static final Duration FIRST_LEASE = Duration.ofSeconds(3);

    private final SteppedLock lock = new SteppedLock(Releases.GRANT, Fit.AS_IT_IS);

    private Waiter enter(long waitNanos) {
        return lock.enter(waitNanos);
    }

    private Waiter served() {
        Waiter waiter = enter(Waiter.FOREVER);
        answer();
        assertThat(isServed(waiter)).isTrue();
        return waiter;
    }

    private void answer() {
        assertThat(lock.commands.deliver()).isTrue();
        assertThat(lock.answers.deliver()).isTrue();
    }

    private static boolean isServed(Waiter waiter) {
        return waiter.isDone() && waiter.join().isPresent();
    }

    @Test
    void firstRequestServesWithoutATimer() {
        Waiter waiter = enter(SteppedLock.LEASE);
        assertThat(lock.timer.pending()).isZero();

        answer();

        assertThat(isServed(waiter)).isTrue();
        assertThat(lock.rooms.waiters()).isZero();
        assertThat(lock.timer.pending()).isZero();
    }

    @Test
    void waitersShareARequest() {
        Waiter first = enter(Waiter.FOREVER);
        Waiter second = enter(Waiter.FOREVER);
        Waiter trying = enter(0);

        answer();

        assertThat(isServed(first)).isTrue();
        assertThat(second).isNotDone();
        assertThat(trying).isCompletedWithValueMatching(lease -> lease.isEmpty());
        lock.release();
        assertThat(isServed(second)).as("handed over in memory").isTrue();
        assertThat(lock.commands.deliver()).as("another command").isFalse();
    }

    @Test
    void tryIsRefusedByItsFirstAnswerWithoutATimer() {
        served();
        Waiter trying = enter(0);

        answer();

        assertThat(trying).isCompletedWithValueMatching(lease -> lease.isEmpty());
        assertThat(trying.lastAnswer()).isInstanceOf(Answer.Busy.class);
        assertThat(lock.timer.pending()).isZero();
    }

    @Test
    void roomAsksOnlyWhenAHolderOfItsClientHandsOverNoLonger() {
        served();
        Waiter next = enter(Waiter.FOREVER);
        lock.clock.advance(HANDED_OVER.minusNanos(1));
        assertThat(lock.commands.deliver()).as("asked before").isFalse();

        lock.clock.advance(Duration.ofNanos(1));

        answer();
        assertThat(next).isNotDone();
    }

    @Test
    void waitersThatTakeTurnsDoNotAsk() {
        served();
        for (int turn = 0; turn < 2; turn++) {
            Waiter next = enter(Waiter.FOREVER);
            lock.release();
            assertThat(isServed(next)).as("turn %s", turn).isTrue();
        }
        assertThat(lock.commands.deliver()).isFalse();
    }

    /** A thread that is woken after its timers starts later by the time that it takes to wake the timers' thread. */
    @Test
    void waiterIsServedBeforeTheTimersOfItsShortLeaseAreSet() {
        served();
        lock.clock.advance(HANDED_OVER);
        Waiter waiter = enter(Waiter.FOREVER);
        answer();
        AtomicInteger timers = new AtomicInteger(-1);
        waiter.thenRun(() -> timers.set(lock.leaseTimer.pending()));
        lock.granting = FIRST_LEASE.toNanos();

        lock.release();
        lock.deliverAll();

        assertThat(timers).as("that of the round of all leases").hasValue(1);
        assertThat(lock.leaseTimer.pending()).as("and those of its own").isEqualTo(3);
    }

    @Test
    void waiterLearnsAtOnceThatItsClientCloses() {
        Waiter waiter = enter(Waiter.FOREVER);

        lock.rooms.refuseEverybody();

        assertThat(waiter).isCompletedExceptionally();
    }
}
