package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.simulation.Plan.Fault;
import dev.holdfast.lock.simulation.Plan.FaultKind;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What seeds plan. A constant that no planner names would never be tried. */
class PlannerTest {

    private static final List<Plan> PLANS =
            LongStream.range(0, 2_000).mapToObj(Planner::of).toList();

    @Test
    void everyKindOfFaultIsPlanned() {
        Set<FaultKind> planned = EnumSet.noneOf(FaultKind.class);
        PLANS.forEach(plan -> plan.faults().stream().map(Fault::kind).forEach(planned::add));
        assertThat(planned).containsExactlyInAnyOrder(FaultKind.values());
    }

    @Test
    void everyKindOfLockIsPlanned() {
        Set<LockSpec.Kind> planned = EnumSet.noneOf(LockSpec.Kind.class);
        PLANS.forEach(plan -> planned.addAll(plan.kinds()));
        assertThat(planned).containsExactlyInAnyOrder(LockSpec.Kind.values());
    }
}
