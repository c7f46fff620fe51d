package dev.holdfast.lock.explore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.explore.Explorer.Explored;
import dev.holdfast.lock.explore.Scenario.Fault;
import java.util.EnumSet;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A sample of what {@code lab/run explore} explores. */
class ExplorationTest {

    private static final int MOMENTS = 3;
    private static final int MOST_STATES = 60;
    private static final int STATES_WITH_FAULTS = 15;
    /** Each fault is tried in one scenario of so many, and each scenario with one fault of so many. */
    private static final int ONE_OF = 3;

    private static final int STATES_WITH_THEIR_FUTURE = 250;
    private static final int MOST_SECONDS = 120;

    static Stream<Scenario> faultless() {
        return Scenarios.faultless(MOMENTS).stream();
    }

    @ParameterizedTest
    @MethodSource("faultless")
    void promisesHoldWithoutFaults(Scenario scenario) {
        assertThat(explore(scenario, MOST_STATES).story()).isNull();
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void promisesHoldWithOneFault(Fault fault) {
        List<Scenario> scenarios = Scenarios.all(EnumSet.of(fault), 1, MOMENTS);
        for (int i = fault.ordinal() % ONE_OF; i < scenarios.size(); i += ONE_OF) {
            assertThat(explore(scenarios.get(i), STATES_WITH_FAULTS).story()).isNull();
        }
    }

    @Test
    void theSameSituationHasTheSameFuture() {
        List<Scenario> scenarios = Scenarios.all(EnumSet.of(Fault.CUT_COMMANDS), 1, MOMENTS);

        assertThat(SameFuture.differences(scenarios.get(0), STATES_WITH_THEIR_FUTURE))
                .isEmpty();
    }

    private static Explored explore(Scenario scenario, int mostStates) {
        return Explorer.explore(scenario, UnaryOperator.identity(), mostStates, MOST_SECONDS);
    }
}
