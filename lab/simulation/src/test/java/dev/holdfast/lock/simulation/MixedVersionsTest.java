package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Nightly;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Clients of this version and of an earlier one share locks, and their places in one queue. */
class MixedVersionsTest {

    private static final int FLEETS = Integer.getInteger("mixed.fleets", 60);
    /** So many show that both versions work together. Most faults of a script show in the first of them. */
    private static final int MIXED_FLEETS = Nightly.Night.isOn() ? FLEETS : FLEETS / 3;

    private static final int CALLS_OF_EACH_SCRIPT = Integer.getInteger("mixed.calls", Nightly.Night.isOn() ? 500 : 200);

    /** Each script writes, answers and publishes what the earlier one does. */
    @Test
    void scriptsOfBothVersionsDoTheSame() {
        VersionComparison comparison =
                new VersionComparison(UnaryOperator.identity(), script -> true, CALLS_OF_EACH_SCRIPT);

        comparison.run(FLEETS);

        System.out.println(comparison.calls);
        assertThat(comparison.differences).isEmpty();
        assertThat(comparison.calls.keySet())
                .contains("acquire", "release", "renew", "read-acquire", "write-acquire", "rw-renew", "rw-release")
                .contains("multi-acquire", "multi-release", "semaphore-acquire", "semaphore-release", "raise");
    }

    /** Half of the clients of a fleet run the earlier scripts. */
    @Test
    void mixedFleetsKeepThePromises() {
        for (long seed = VersionComparison.FIRST_SEED; seed < VersionComparison.FIRST_SEED + MIXED_FLEETS; seed++) {
            Plan plan = Planner.of(seed);
            if (plan.profile() == Plan.Profile.FAILOVER
                    || plan.faults().stream().anyMatch(fault -> fault.kind() == Plan.FaultKind.STOP)) {
                // The earlier version knows no grace, and no requests to stop.
                continue;
            }
            Simulation.Result result = Simulation.run(
                    plan,
                    server -> (script, keys, args, execution) -> isEarlier(args)
                            ? PreviousScripts.run(script, keys, args, execution)
                            : execution.run(script, keys, args));

            assertThat(result.violation()).as(() -> Report.of(result)).isNull();
        }
    }

    /** By the client, whose random name is the beginning of each owner. A script without an owner is the present one. */
    private static boolean isEarlier(List<String> args) {
        return !args.isEmpty() && args.get(0).charAt(0) % 2 == 0;
    }
}
