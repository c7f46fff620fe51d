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
    private static final int MOST_STATES = 300;
    private static final int STATES_WITH_FAULTS = 15;
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
        for (Scenario scenario : Scenarios.all(EnumSet.of(fault), 1, MOMENTS)) {
            assertThat(explore(scenario, STATES_WITH_FAULTS).story()).isNull();
        }
    }

    @Test
    void theSameSituationHasTheSameFuture() {
        List<Scenario> scenarios = Scenarios.all(EnumSet.of(Fault.CUT_COMMANDS), 1, MOMENTS);

        assertThat(SameFuture.differences(scenarios.get(0), 400)).isEmpty();
    }

    private static Explored explore(Scenario scenario, int mostStates) {
        return Explorer.explore(scenario, UnaryOperator.identity(), mostStates, MOST_SECONDS);
    }
}
