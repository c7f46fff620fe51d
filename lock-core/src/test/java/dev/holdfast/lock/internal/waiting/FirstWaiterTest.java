package dev.holdfast.lock.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.waiting.VirtualLock.Signals;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the first caller of a client costs that wants a lock, and what happens to it beside its first answer. On a virtual clock. */
class FirstWaiterTest {

    private static final Duration BRIEF = Duration.ofMillis(5);
    private static final Duration PART_OF_A_TRIP = Duration.ofNanos(100_000);
    private static final Duration ROUND_TRIP = Duration.ofMillis(1);

    /** Longer than what Redis said of a holder of this client spares a question. */
    private static final Duration CONFIRMED_LONG_AGO = Duration.ofMillis(25);

    private final VirtualLock lock = new VirtualLock(Signals.DELIVERED, 32);

    @AfterEach
    void nothingIsLeft() {
        lock.clock.advance(Duration.ofSeconds(5));
        lock.assertNothingIsArmed();
    }

    private static boolean isServed(Waiter waiter) {
        return waiter.result().isDone()
                && !waiter.result().isCompletedExceptionally()
                && waiter.result().join().isPresent();
    }

    @Test
    void isServedByItsFirstQuestionWithoutATimer() {
        Waiter waiter = lock.enter(Duration.ofSeconds(10), BRIEF);
        assertThat(lock.rooms.waiters()).isOne();
        assertThat(lock.roomTimers.pending()).isZero();

        lock.clock.advance(ROUND_TRIP);

        assertThat(isServed(waiter)).isTrue();
        assertThat(lock.rooms.waiters()).isZero();
        assertThat(lock.roomTimers.pending()).isZero();
    }

    @Test
    void sharesItsQuestionWithThoseWhoCome() {
        Waiter first = lock.enter(Duration.ofSeconds(1), BRIEF);
        lock.clock.advance(PART_OF_A_TRIP);
        Waiter second = lock.enter(Duration.ofSeconds(1), BRIEF);
        Waiter trying = lock.enter(Duration.ZERO, BRIEF);
        assertThat(lock.rooms.waiters()).isEqualTo(3);

        lock.clock.advance(ROUND_TRIP);

        assertThat(isServed(first)).isTrue();
        assertThat(second.result()).isNotDone();
        assertThat(trying.result()).isCompletedWithValueMatching(lease -> lease.isEmpty());
        lock.clock.advance(BRIEF);
        assertThat(isServed(second)).as("handed over in memory").isTrue();
        assertThat(lock.questions()).isOne();
    }

    @Test
    void givesBackTheGrantThatComesAfterItGaveUp() {
        Waiter waiter = lock.enter(Duration.ofSeconds(1), BRIEF);
        lock.clock.advance(PART_OF_A_TRIP);

        lock.giveUp(waiter);
        assertThat(lock.rooms.waiters()).isZero();
        lock.clock.advance(ROUND_TRIP.multipliedBy(2));

        assertThat(lock.isServed()).isFalse();
        assertThat(isServed(enterAndWait())).isTrue();
    }

    private Waiter enterAndWait() {
        Waiter waiter = lock.enter(Duration.ZERO, BRIEF);
        lock.clock.advance(ROUND_TRIP);
        return waiter;
    }

    @Test
    void isRefusedByItsFirstAnswerWhereItDoesNotWait() {
        lock.heldByOthersFor(Duration.ofSeconds(2));

        Waiter waiter = enterAndWait();

        assertThat(waiter.result()).isCompletedWithValueMatching(lease -> lease.isEmpty());
        assertThat(waiter.lastAnswer()).isInstanceOf(Answer.Busy.class);
        assertThat(lock.roomTimers.pending()).isZero();
    }

    @Test
    void goesOnWaiting() {
        lock.heldByOthersFor(Duration.ofSeconds(2));
        Waiter waiter = lock.enter(Duration.ofSeconds(10), BRIEF);

        lock.clock.advance(Duration.ofMillis(1_990));
        assertThat(waiter.result()).isNotDone();
        lock.clock.advance(Duration.ofMillis(1_100));

        assertThat(isServed(waiter)).isTrue();
    }

    @Test
    void takesWhatIsReleasedHereWhileItsQuestionIsOnItsWay() {
        lock.enter(Duration.ZERO, CONFIRMED_LONG_AGO.plus(ROUND_TRIP));
        lock.clock.advance(CONFIRMED_LONG_AGO.plus(ROUND_TRIP).plus(PART_OF_A_TRIP.multipliedBy(3)));
        // The first holder releases half way of this question.
        Waiter second = lock.enter(Duration.ofSeconds(1), BRIEF);

        lock.clock.advance(PART_OF_A_TRIP);
        lock.clock.advance(PART_OF_A_TRIP);

        assertThat(isServed(second)).as("before its answer").isTrue();
    }

    @Test
    void doesNotAskWhileAHolderOfItsClientWasConfirmedJustNow() {
        lock.enter(Duration.ZERO, BRIEF);
        lock.clock.advance(ROUND_TRIP);

        Waiter second = lock.enter(Duration.ofSeconds(1), BRIEF);
        assertThat(second.result()).isNotDone();
        lock.clock.advance(BRIEF);

        assertThat(isServed(second)).as("handed over in memory").isTrue();
        assertThat(lock.questions()).isOne();
    }

    @Test
    void asksAsSoonAsTheConfirmationOfItsClientsHolderIsOutOfDate() {
        lock.enter(Duration.ZERO, Duration.ofSeconds(1));
        lock.clock.advance(ROUND_TRIP);

        Waiter second = lock.enter(Duration.ofSeconds(2), BRIEF);
        lock.clock.advance(Duration.ofMillis(18));
        assertThat(lock.questions()).isOne();
        lock.clock.advance(ROUND_TRIP.multipliedBy(2));

        assertThat(lock.questions()).isGreaterThan(1);
        lock.clock.advance(Duration.ofSeconds(1));
        assertThat(isServed(second)).isTrue();
    }

    @Test
    void twoWhoTakeTurnsDoNotAsk() {
        lock.enter(Duration.ofSeconds(1), ROUND_TRIP);
        lock.clock.advance(Duration.ofNanos(500_000));
        for (int turn = 0; turn < 15; turn++) {
            Waiter next = lock.enter(Duration.ofSeconds(1), ROUND_TRIP);
            lock.clock.advance(ROUND_TRIP);
            assertThat(isServed(next)).as("turn %s", turn).isTrue();
        }
        assertThat(lock.questions()).isOne();
    }

    @Test
    void triesInRedisWhileAHolderOfItsClientHasTheLock() {
        lock.enter(Duration.ZERO, BRIEF);
        lock.clock.advance(ROUND_TRIP);

        Waiter trying = enterAndWait();

        assertThat(trying.result()).isCompletedWithValueMatching(lease -> lease.isEmpty());
        assertThat(lock.questions()).isEqualTo(2);
    }

    /** Otherwise it would leave the line first and enter it afterward, and the next release would grant the lock to nobody. */
    @Test
    @Timeout(30)
    void isServedByAHandOverOnlyOnceItsQuestionIsSent() throws Exception {
        Waiter first = lock.enter(Duration.ZERO, Duration.ofSeconds(1));
        lock.clock.advance(CONFIRMED_LONG_AGO);
        CountDownLatch asking = new CountDownLatch(1);
        CountDownLatch sends = new CountDownLatch(1);
        lock.beforeAsking = () -> {
            asking.countDown();
            awaitUninterruptibly(sends);
        };
        CompletableFuture<Waiter> second =
                CompletableFuture.supplyAsync(() -> lock.enter(Duration.ofSeconds(1), BRIEF));
        asking.await();
        Thread release = new Thread(() -> first.result().join().orElseThrow().close());
        release.start();
        // Where nothing holds the release back, it overtakes the question: it is over before the question is sent.
        awaitEndOrWait(release);

        sends.countDown();
        release.join();

        assertThat(isServed(second.join())).isTrue();
        lock.beforeAsking = () -> {};
    }

    private static void awaitEndOrWait(Thread thread) {
        Set<Thread.State> states = Set.of(Thread.State.TERMINATED, Thread.State.BLOCKED, Thread.State.WAITING);
        while (!states.contains(thread.getState())) {
            Thread.onSpinWait();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void learnsAtOnceThatItsClientCloses() {
        Waiter waiter = lock.enter(Duration.ofSeconds(10), BRIEF);

        lock.rooms.refuseEverybody();

        assertThat(waiter.result()).isCompletedExceptionally();
        lock.clock.advance(ROUND_TRIP);
        assertThat(lock.isServed()).isFalse();
    }
}
