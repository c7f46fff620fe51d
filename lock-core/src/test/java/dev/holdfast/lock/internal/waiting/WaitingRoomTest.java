package dev.holdfast.lock.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.waiting.VirtualLock.Signals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** When a room asks depends on the lock, and never on who comes and goes. On a virtual clock. */
class WaitingRoomTest {

    private static final Duration BRIEF = Duration.ofMillis(1);

    /** The longest pause after a question that Redis did not answer. */
    private static final Duration LONGEST_BACKOFF = Duration.ofMillis(160);

    /** So many come, one each period, and each waits for so long. */
    private record Traffic(int threads, Duration period, Duration patience) {

        void come(VirtualLock lock, int millis) {
            if (millis % period.toMillis() == 0) {
                for (int i = 0; i < threads; i++) {
                    lock.enter(patience, BRIEF);
                }
            }
        }
    }

    static Stream<Arguments> traffic() {
        return Stream.of(Signals.values())
                .flatMap(signals -> Stream.of(3, 40, 199, 200, 1000)
                        .flatMap(period -> Stream.of(0, 5, 200, 1500)
                                .map(patience -> Arguments.of(
                                        signals,
                                        new Traffic(
                                                period < 10 ? 1 : 8,
                                                Duration.ofMillis(period),
                                                Duration.ofMillis(patience))))));
    }

    @ParameterizedTest
    @MethodSource("traffic")
    void lockOfADeadHolderIsFoundByTheEndOfItsLease(Signals signals, Traffic traffic) {
        VirtualLock lock = new VirtualLock(signals, 32);
        lock.heldByOthersFor(Duration.ofSeconds(2));
        play(lock, traffic, 4_000, VirtualLock.POLL);
        assertThat(lock.isServed()).isTrue();
        assertAllGone(lock, traffic);
    }

    @ParameterizedTest
    @MethodSource("traffic")
    void redisThatIsBackIsFoundWithinABackoff(Signals signals, Traffic traffic) {
        VirtualLock lock = new VirtualLock(signals, 32);
        lock.downFor(Duration.ofMillis(2_500));
        play(lock, traffic, 2_500, LONGEST_BACKOFF);
        assertThat(lock.isServed()).isFalse();
        play(lock, traffic, 3_500, LONGEST_BACKOFF);
        assertThat(lock.isServed()).isTrue();
        assertAllGone(lock, traffic);
    }

    @ParameterizedTest
    @MethodSource("traffic")
    void roomThatStandsBackAsksAgain(Signals signals, Traffic traffic) {
        VirtualLock lock = new VirtualLock(signals, 2);
        lock.othersTakeTurns(Duration.ofMillis(20));
        play(lock, traffic, 6_000, VirtualLock.POLL);
        assertThat(lock.servings()).isGreaterThan(1);
        assertAllGone(lock, traffic);
    }

    private static void play(VirtualLock lock, Traffic traffic, int millis, Duration longestQuiet) {
        for (int i = 0; i < millis; i++) {
            traffic.come(lock, i);
            lock.tick(longestQuiet);
        }
    }

    private static void assertAllGone(VirtualLock lock, Traffic traffic) {
        for (int i = 0; lock.rooms.waiters() > 0; i++) {
            assertThat(i).as("ms until %s have gone", lock.rooms.waiters()).isLessThan(100_000);
            lock.tick(VirtualLock.POLL);
        }
        lock.assertNothingIsArmed();
    }

    @ParameterizedTest
    @EnumSource
    void waiterWithoutALimitIsServedBesideThoseWhoComeAndGo(Signals signals) {
        VirtualLock lock = new VirtualLock(signals, 32);
        lock.heldByOthersFor(Duration.ofSeconds(2));
        for (int i = 0; i < 200; i++) {
            lock.enter(Duration.ofMillis(200), BRIEF);
            lock.tick(VirtualLock.POLL);
        }
        Waiter patient = lock.enter(null, BRIEF);
        for (int i = 200; i < 3_500; i++) {
            if (i % 25 == 0) {
                lock.enter(Duration.ofMillis(200), BRIEF);
            }
            lock.tick(VirtualLock.POLL);
        }
        assertThat(patient.result()).isCompletedWithValueMatching(lease -> lease.isPresent());
    }

    @Test
    void signalWakesTheRoomAtOnce() {
        VirtualLock lock = new VirtualLock(Signals.DELIVERED, 0);
        lock.enter(null, Duration.ofMillis(300));
        lock.clock.advance(Duration.ofMillis(10));
        Waiter next = lock.enter(null, BRIEF);
        lock.clock.advance(Duration.ofMillis(300));
        assertThat(next.result()).isCompletedWithValueMatching(lease -> lease.isPresent());
    }

    private static boolean isServed(Waiter waiter) {
        return waiter.result().isDone() && waiter.result().join().isPresent();
    }

    @Test
    void grantOfAReleaseServesTheHeadWithoutAQuestion() {
        VirtualLock lock = new VirtualLock(Signals.GRANTED, 0);
        lock.heldByOthersFor(Duration.ofMillis(300));
        Waiter waiter = lock.enter(null, BRIEF);

        lock.clock.advance(Duration.ofMillis(301));

        assertThat(isServed(waiter)).isTrue();
        assertThat(lock.questions()).isOne();
    }

    @Test
    void grantWhoseMessageIsLostIsFoundByTheNextQuestion() {
        VirtualLock lock = new VirtualLock(Signals.GRANTED_UNHEARD, 0);
        lock.heldByOthersFor(Duration.ofMillis(300));
        Waiter waiter = lock.enter(null, BRIEF);

        lock.clock.advance(Duration.ofMillis(310));

        assertThat(isServed(waiter))
                .as("at the end of the holder's lease, not of the poll")
                .isTrue();
        assertThat(lock.questions()).isEqualTo(2);
    }

    @Test
    void grantThatMeetsNobodyIsGivenBack() {
        VirtualLock lock = new VirtualLock(Signals.GRANTED, 0);
        lock.heldByOthersFor(Duration.ofMillis(300));
        Waiter waiter = lock.enter(null, BRIEF);
        lock.clock.advance(Duration.ofMillis(300));

        lock.giveUp(waiter);
        lock.clock.advance(BRIEF);

        lock.assertNothingIsArmed();
        assertThat(lock.isServed()).isFalse();
    }

    @Test
    void grantGoesToTheWaiterThatIsFirstByThen() {
        VirtualLock lock = new VirtualLock(Signals.GRANTED, 0);
        lock.heldByOthersFor(Duration.ofMillis(300));
        Waiter first = lock.enter(null, BRIEF);
        Waiter second = lock.enter(null, BRIEF);
        lock.clock.advance(Duration.ofMillis(300));

        lock.giveUp(first);
        lock.clock.advance(BRIEF);

        assertThat(isServed(second)).isTrue();
        assertThat(lock.questions()).isOne();
    }

    static Stream<Long> seeds() {
        return IntStream.range(0, Boolean.getBoolean("holdfast.soak") ? 4_000 : 100)
                .mapToObj(seed -> (long) seed);
    }

    /** Everything at random: who comes, who gives up, what the lock and its signals do. */
    @ParameterizedTest
    @MethodSource("seeds")
    void nobodyIsForgottenHoweverItGoes(long seed) {
        Random random = new Random(seed);
        Signals[] all = Signals.values();
        VirtualLock lock = new VirtualLock(all[random.nextInt(all.length)], random.nextInt(4));
        if (random.nextBoolean()) {
            lock.othersTakeTurns(Duration.ofMillis(random.nextInt(1_500)));
        }
        int arrivals = 1 + random.nextInt(300);
        int waits = 1 + random.nextInt(1_500);
        int holds = 1 + random.nextInt(100);
        List<Waiter> present = new ArrayList<>();
        for (int i = 0; i < 6_000; i++) {
            if (random.nextInt(arrivals) == 0) {
                Duration wait = random.nextInt(20) == 0 ? null : Duration.ofMillis(random.nextInt(waits));
                present.add(lock.enter(wait, Duration.ofMillis(random.nextInt(holds))));
            }
            if (random.nextInt(arrivals * 4) == 0 && !present.isEmpty()) {
                lock.giveUp(present.remove(random.nextInt(present.size())));
            }
            if (random.nextInt(2_000) == 0) {
                lock.heldByOthersOnceFree(Duration.ofMillis(random.nextInt(2_500)));
            }
            if (random.nextInt(3_000) == 0) {
                lock.downFor(Duration.ofMillis(random.nextInt(1_500)));
            }
            lock.tick(VirtualLock.POLL);
        }
        lock.othersTakeTurns(Duration.ZERO);
        present.forEach(lock::giveUp);
        for (int i = 0; i < 1_000; i++) {
            lock.tick(VirtualLock.POLL);
        }
        lock.assertNothingIsArmed();
    }

    /** A thread that is woken after its timers starts later by the time that it takes to wake the timers' thread. */
    @Test
    void isServedBeforeTheTimersOfItsShortLeaseAreSet() {
        VirtualLock lock = new VirtualLock(Signals.GRANTED, 32);
        lock.heldByOthersFor(Duration.ofSeconds(2));
        Waiter waiter = lock.enter(Duration.ofSeconds(10), Duration.ofMillis(5));
        AtomicInteger timers = new AtomicInteger(-1);
        waiter.result().thenRun(() -> timers.set(lock.leaseTimers.pending()));

        lock.clock.advance(Duration.ofMillis(2_001));

        assertThat(timers).as("that of the round of all leases").hasValue(1);
        assertThat(lock.leaseTimers.pending()).as("and those of its own").isEqualTo(3);
        lock.clock.advance(Duration.ofSeconds(15));
        lock.assertNothingIsArmed();
    }
}
