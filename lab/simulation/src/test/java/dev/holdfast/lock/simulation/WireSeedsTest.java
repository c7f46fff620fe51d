package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Seeds of plans with faults of the wire that failed once, for a fault of the product. */
class WireSeedsTest {

    @ParameterizedTest
    @ValueSource(longs = {583})
    void everyPromiseIsKept(long seed) {
        Simulation.Result result = Simulation.run(WirePlanner.over(Planner.withoutScenes(seed)), false);

        assertThat(result.violation()).as(() -> Report.of(result)).isNull();
    }
}
