package dev.holdfast.lock.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.waiting.SteppedLock.Releases;
import dev.holdfast.lock.internal.waiting.WaitableLock.Fit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every order in which callers come, give up and release, and commands, answers, messages and time pass between them: the lock is never free
 * while somebody waits, never has two holders, and nothing is left. Clocks move by less than a poll, so no poll repairs what went wrong.
 */
class StepOrdersTest {

    /** How many steps every order has behind its beginning; longer ones are drawn at random. */
    private static final int STEPS = Integer.getInteger("holdfast.orders.steps", 4);

    private static final int LONG_ORDERS = Integer.getInteger("holdfast.orders.long", 3_000);
    private static final int LONG_STEPS = 40;

    /** One step; answers whether it did anything. */
    private enum Step {
        ENTER(lock -> enter(lock, Waiter.FOREVER)),
        ENTER_BRIEFLY(lock -> enter(lock, SteppedLock.BRIEF)),
        TRY(lock -> enter(lock, 0)),
        GIVE_UP(SteppedLock::giveUp),
        RELEASE(SteppedLock::release),
        COMMAND(lock -> lock.commands.deliver()),
        ANSWER(lock -> lock.answers.deliver()),
        MESSAGE(lock -> lock.messages.deliver()),
        TIME(lock -> {
            lock.passTime();
            return true;
        });

        private final Predicate<SteppedLock> run;

        Step(Predicate<SteppedLock> run) {
            this.run = run;
        }

        private static boolean enter(SteppedLock lock, long waitNanos) {
            lock.enter(waitNanos);
            return true;
        }
    }

    private static final List<Step> HELD = List.of(Step.ENTER, Step.COMMAND, Step.ANSWER);
    private static final List<Step> HELD_AND_WAITED_FOR =
            List.of(Step.ENTER, Step.COMMAND, Step.ANSWER, Step.TIME, Step.ENTER, Step.COMMAND, Step.ANSWER);

    static Stream<Arguments> locks() {
        return Stream.of(Releases.values())
                .flatMap(releases -> Stream.of(Fit.values()).map(fits -> Arguments.of(releases, fits)));
    }

    @ParameterizedTest
    @MethodSource("locks")
    void nobodyIsForgottenInAnyOrder(Releases releases, Fit fits) {
        for (List<Step> beginning : List.of(List.<Step>of(), HELD, HELD_AND_WAITED_FOR)) {
            int orders = 0;
            Deque<List<Step>> open = new ArrayDeque<>(List.of(beginning));
            while (!open.isEmpty()) {
                List<Step> steps = open.removeLast();
                if (run(new SteppedLock(releases, fits), steps)) {
                    orders++;
                    if (steps.size() < beginning.size() + STEPS) {
                        Stream.of(Step.values()).forEach(next -> open.add(followedBy(steps, next)));
                    }
                }
            }
            assertThat(orders).as("orders after %s", beginning).isGreaterThan(500);
        }
    }

    private static List<Step> followedBy(List<Step> steps, Step next) {
        List<Step> longer = new ArrayList<>(steps);
        longer.add(next);
        return longer;
    }

    @ParameterizedTest
    @MethodSource("locks")
    void nobodyIsForgottenInLongOrders(Releases releases, Fit fits) {
        IntStream.range(0, LONG_ORDERS).forEach(seed -> {
            Random random = new Random(seed);
            List<Step> steps = random.ints(LONG_STEPS, 0, Step.values().length)
                    .mapToObj(step -> Step.values()[step])
                    .toList();
            SteppedLock lock = new SteppedLock(releases, fits);
            assertNothingIsLost(
                    lock, steps.stream().filter(step -> step.run.test(lock)).toList());
        });
    }

    /** Answers whether each step did something: an order with one that did not is another order. */
    private static boolean run(SteppedLock lock, List<Step> steps) {
        for (Step step : steps) {
            if (!step.run.test(lock)) {
                return false;
            }
        }
        assertNothingIsLost(lock, steps);
        return true;
    }

    private static void assertNothingIsLost(SteppedLock lock, List<Step> steps) {
        try {
            lock.assertNothingIsLost();
        } catch (AssertionError lost) {
            throw new AssertionError(lost.getMessage() + " after " + steps, lost);
        }
    }
}
