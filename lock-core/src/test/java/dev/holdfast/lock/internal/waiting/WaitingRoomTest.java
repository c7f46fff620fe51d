package dev.holdfast.lock.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.internal.lease.Answer;
import dev.holdfast.lock.internal.lease.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Counts the requests and the timers of a room. {@link RoomTableTest} shows what follows from each event, and the simulation shows that nobody waits
 * in vain.
 */
class WaitingRoomTest {

    private final PlayedLock lock = new PlayedLock();

    private Waiter served() {
        Waiter waiter = lock.enter(Waiter.FOREVER);
        lock.answer(lock.grant());
        assertServed(waiter);
        return waiter;
    }

    private static void assertServed(Waiter waiter) {
        assertThat(waiter).isCompletedWithValueMatching(lease -> lease.isPresent());
    }

    private static void assertRefused(Waiter waiter) {
        assertThat(waiter).isCompletedWithValueMatching(lease -> lease.isEmpty());
    }

    private static void release(Waiter waiter) {
        waiter.join().orElseThrow().releaseAsync();
    }

    private void assertNothingIsLeft() {
        assertThat(lock.rooms.waiters()).isZero();
        assertThat(lock.rooms.isEmpty(PlayedLock.ROOM)).isTrue();
        assertThat(lock.timer.pending()).as("timers").isZero();
    }

    @Test
    void firstRequestServesWithoutATimer() {
        Waiter waiter = lock.enter(PlayedLock.LEASE);
        assertThat(lock.timer.pending()).isZero();

        lock.answer(lock.grant());

        assertServed(waiter);
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void callerLearnsAtOnceThatItsRequestCannotBeSent(boolean fromARoom) {
        lock.asks = false;
        lock.heldHere = fromARoom;
        Waiter waiter = lock.enter(Waiter.FOREVER);
        if (fromARoom) {
            lock.heldHere = false;
            lock.clock.advance(PlayedLock.HELD_HERE);
        }

        assertThat(waiter).isCompletedExceptionally();
        assertNothingIsLeft();
    }

    @Test
    void waitersShareARequest() {
        Waiter first = lock.enter(Waiter.FOREVER);
        Waiter second = lock.enter(Waiter.FOREVER);
        Waiter trying = lock.enter(0);

        lock.answer(lock.grant());

        assertServed(first);
        assertThat(second).isNotDone();
        assertRefused(trying);
        release(first);
        assertServed(second);
        assertThat(lock.asked).as("requests").containsExactly(first);
    }

    @Test
    void tryIsRefusedByItsFirstAnswerWithoutATimer() {
        served();
        Waiter trying = lock.enter(0);

        lock.answer(lock.busy());

        assertRefused(trying);
        assertThat(trying.lastAnswer()).isInstanceOf(Answer.Busy.class);
        assertNothingIsLeft();
    }

    @Test
    void waiterThatIsServedOrLeavesTakesItsTimersWithIt() {
        for (boolean isServed : new boolean[] {true, false}) {
            Waiter waiter = lock.enter(PlayedLock.LEASE);
            lock.answer(lock.busy());
            assertThat(lock.timer.pending()).as("the alarm and the deadline").isEqualTo(2);

            if (isServed) {
                lock.granted = lock.grant();
                lock.signal();
                assertServed(waiter);
            } else {
                waiter.giveUp();
            }

            assertNothingIsLeft();
        }
    }

    /** The message may be about a grant that is too short: the room asks for more under the same owner id. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void alarmIsStoppedByAMessageAfterWhichTheRoomAsks(boolean isGranted) {
        lock.enter(Waiter.FOREVER);
        lock.answer(lock.busy());
        lock.fits = false;
        lock.granted = isGranted ? lock.grant() : null;

        lock.signal();

        assertThat(lock.asked).hasSize(2);
        assertThat(lock.givenBack).isEmpty();
        assertThat(lock.left).as("places left").isZero();
        assertThat(lock.timer.pending()).isZero();
    }

    /** Two of four leave, one after the other. */
    @ParameterizedTest
    @CsvSource({"0, 0", "0, 2", "1, 1", "1, 2", "2, 1", "3, 0", "3, 2"})
    void waitersAroundThoseThatLeaveAreServedInTheirOrder(int first, int second) {
        List<Waiter> waiters = new ArrayList<>();
        IntStream.range(0, 4).forEach(i -> waiters.add(lock.enter(Waiter.FOREVER)));
        lock.answer(lock.busy());
        waiters.remove(first).giveUp();
        waiters.remove(second).giveUp();
        waiters.add(lock.enter(Waiter.FOREVER));
        assertThat(lock.rooms.waiters()).isEqualTo(3);

        lock.granted = lock.grant();
        lock.signal();

        for (Waiter next : waiters) {
            assertServed(next);
            release(next);
        }
        assertNothingIsLeft();
    }

    /** Nobody here waits for the lock, or the grant does not fit the waiter: its holder must release it in Redis. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void offerThatIsNotTakenIsRefusedAtOnce(boolean isWaiting) {
        Waiter waiter = lock.enter(Waiter.FOREVER);
        lock.answer(lock.busy());
        lock.fits = false;
        List<Boolean> outcomes = new ArrayList<>();
        if (!isWaiting) {
            waiter.cancel(false);
        }

        lock.rooms.offer(PlayedLock.ROOM, lock.grant(), outcomes::add);

        assertThat(outcomes).containsExactly(false);
    }

    /** The last waiter may leave after the holder has seen it. */
    @Test
    void offerOfALockThatNobodyHereWantsAnyMoreIsRefusedAtOnce() {
        List<Boolean> outcomes = new ArrayList<>();

        lock.rooms.offer(PlayedLock.ROOM, lock.grant(), outcomes::add);

        assertThat(outcomes).containsExactly(false);
    }

    @Test
    void grantForAWaiterThatHasLeftIsGivenBack() {
        lock.enter(Waiter.FOREVER).giveUp();
        Grant grant = lock.grant();

        lock.answer(grant);

        assertThat(lock.givenBack).containsExactly(grant);
        assertNothingIsLeft();
    }

    /** A request whose caller has left is answered all the same. Until then, no other one is sent. */
    @Test
    void callersThatCancelAtOnceShareARequest() {
        for (int i = 0; i < 100; i++) {
            lock.enter(Waiter.FOREVER).giveUp();
            lock.enter(0).giveUp();
        }
        assertThat(lock.asked).as("requests").hasSize(1);

        lock.answer(lock.busy());

        assertThat(lock.left).as("places left").isEqualTo(1);
        assertNothingIsLeft();
    }

    @Test
    void callersThatCancelWhileOthersEnterTogetherShareTheirRequests() {
        lock.kind = LockKind.READ;
        List<Waiter> readers = new ArrayList<>();
        IntStream.range(0, 3).forEach(i -> readers.add(lock.enter(Waiter.FOREVER)));
        lock.answer(lock.grant());
        readers.get(1).giveUp();
        lock.answer(readers.get(2), lock.grant());
        assertServed(readers.get(2));

        for (int i = 0; i < 100; i++) {
            lock.enter(Waiter.FOREVER).giveUp();
        }

        assertThat(lock.asked).as("requests").isEqualTo(readers);
    }

    /** The request keeps its owner id and its place in the queue. */
    @Test
    void callerThatComesAfterACancellationWaitsWithTheRequestUnderWay() {
        Waiter first = lock.enter(Waiter.FOREVER);
        first.giveUp();
        Waiter next = lock.enter(Waiter.FOREVER);
        Waiter trying = lock.enter(0);

        lock.answer(lock.busy());

        assertThat(lock.asked).as("requests").containsExactly(first);
        assertThat(lock.left).as("places left").isZero();
        assertRefused(trying);
        assertThat(trying.lastAnswer()).isInstanceOf(Answer.Busy.class);
        lock.granted = lock.grant();
        lock.signal();
        assertServed(next);
        assertNothingIsLeft();
    }

    @Test
    void callerThatComesAfterACancellationGetsTheGrantUnderWay() {
        Waiter first = lock.enter(Waiter.FOREVER);
        first.giveUp();
        Waiter trying = lock.enter(0);

        lock.answer(lock.grant());

        assertServed(trying);
        assertThat(lock.asked).as("requests").containsExactly(first);
        assertThat(lock.givenBack).isEmpty();
        assertNothingIsLeft();
    }

    @Test
    void roomThatAnsweredACancelledRequestLetsTheNextCallerAsk() {
        lock.enter(Waiter.FOREVER).giveUp();
        lock.answer(lock.busy());

        Waiter next = lock.enter(0);

        assertThat(lock.asked).hasSize(2).last().isSameAs(next);
    }

    /** Others cannot have the lock before the room has the answer. */
    @Test
    void answerOvertakesCallersThatComeAndGo() {
        Waiter first = lock.enter(Waiter.FOREVER);
        lock.enter(Waiter.FOREVER);
        CompletableFuture<List<WaitingLock>> eventUnderWay = new CompletableFuture<>();
        CompletableFuture<Void> backlog = eventUnderWay.thenRun(() -> {
            IntStream.range(0, 100).forEach(i -> lock.enter(Waiter.FOREVER).giveUp());
            lock.fits = false;
            first.giveUp();
            lock.answer(lock.grant());
        });

        lock.room().listed(1, lock.clock.now(), eventUnderWay);

        assertThat(backlog).isCompleted();
        assertThat(lock.waitersAtGiveBack)
                .as("callers whose events are not handled yet")
                .isEqualTo(101);
    }

    /** A client that closes may end before an answer comes, so the place is given up behind the request. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void closingClientGivesUpThePlaceOfARequestUnderWay(boolean isCancelled) {
        Waiter waiter = lock.enter(Waiter.FOREVER);
        if (isCancelled) {
            waiter.giveUp();
        }

        lock.rooms.refuseEverybody();

        assertThat(lock.left).as("places left").isEqualTo(1);
    }

    @Test
    void waitersThatTakeTurnsDoNotAsk() {
        Waiter holder = served();
        lock.heldHere = true;
        for (int turn = 0; turn < 2; turn++) {
            Waiter next = lock.enter(Waiter.FOREVER);
            release(holder);
            assertServed(next);
            holder = next;
        }
        assertThat(lock.asked).hasSize(1);
    }

    /** A thread that is woken after its timers starts later by the time that it takes to wake the timers' thread. */
    @Test
    void waiterIsServedBeforeTheTimersOfItsShortLeaseAreSet() {
        Waiter waiter = lock.enter(Waiter.FOREVER);
        AtomicInteger timers = new AtomicInteger(-1);
        waiter.thenRun(() -> timers.set(lock.leaseTimer.pending()));
        lock.answer(lock.busy());
        lock.granted = lock.grant(Duration.ofSeconds(3).toNanos());

        lock.signal();

        assertThat(timers).as("the timer of the round of all leases").hasValue(1);
        assertThat(lock.leaseTimer.pending())
                .as("that timer and those of the lease")
                .isEqualTo(3);
    }

    /** The timers run before the event loop has read what arrived meanwhile. */
    @ParameterizedTest
    @ValueSource(longs = {0, 50})
    void answerThatArrivedWhileTheProcessStoodStillCounts(long waitMillis) {
        Waiter waiter = lock.enter(Duration.ofMillis(waitMillis).toNanos());
        Waiter behind = lock.enter(Duration.ofMillis(waitMillis).toNanos());

        lock.clock.stall(Duration.ofNanos(PlayedLock.LEASE).plusSeconds(1));
        lock.answer(lock.busy());
        lock.clock.advance(Duration.ZERO);

        assertRefused(waiter);
        assertRefused(behind);
        assertNothingIsLeft();
    }

    @Test
    void waiterWithoutAnAnswerLeavesSoonAfterThePause() {
        lock.enter(Waiter.FOREVER);
        Waiter behind = lock.enter(Duration.ofMillis(50).toNanos());

        lock.clock.stall(Duration.ofNanos(PlayedLock.LEASE).plusSeconds(1));
        lock.clock.advance(Duration.ofMillis(200));

        assertThat(behind).isCompletedExceptionally();
    }

    @Test
    void waiterThatComesAfterThePauseAndBeforeTheAlarmLeavesAtItsEnd() {
        lock.enter(Waiter.FOREVER);
        lock.answer(lock.busy());
        List<Waiter> late = new ArrayList<>();
        lock.clock.after(
                Duration.ofMillis(1),
                () -> late.add(lock.enter(Duration.ofMillis(50).toNanos())));

        lock.clock.stall(Duration.ofNanos(PlayedLock.LEASE).plusSeconds(1));
        assertThat(lock.asked).hasSize(2);
        lock.clock.advance(Duration.ofNanos(PlayedLock.LEASE).plusSeconds(1));

        assertThat(late.get(0)).isCompletedExceptionally();
    }

    @Test
    void waiterLearnsAtOnceThatItsClientCloses() {
        Waiter waiter = lock.enter(Waiter.FOREVER);

        lock.rooms.refuseEverybody();

        assertThat(waiter).isCompletedExceptionally();
    }
}
