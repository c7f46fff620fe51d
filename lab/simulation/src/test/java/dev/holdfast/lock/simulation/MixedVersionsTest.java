package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.simulation.SimulatedServer.Execution;
import dev.holdfast.lock.simulation.SimulatedServer.Refusal;
import dev.holdfast.lock.simulation.SimulatedServer.Witness;
import dev.holdfast.lock.simulation.Twin.Outcome;
import dev.holdfast.lock.testing.Nightly;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Clients of this version and of an earlier one share locks, and their places in one queue. */
class MixedVersionsTest {

    private static final int FLEETS = Integer.getInteger("mixed.fleets", 60);
    /** So many show that both versions work together. Most faults of a script show in the first of them. */
    private static final int MIXED_FLEETS = Nightly.Night.isOn() ? FLEETS : FLEETS / 3;

    /** From here on, so many fleets send each script. */
    private static final long FIRST_SEED = 8;

    private static final int CALLS_OF_EACH_SCRIPT = Integer.getInteger("mixed.calls", Nightly.Night.isOn() ? 500 : 200);

    private final List<String> differences = new ArrayList<>();
    private final Map<String, Integer> calls = new TreeMap<>();

    /** Each script writes, answers and publishes what the earlier one does. */
    @Test
    void scriptsOfBothVersionsDoTheSame() {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + FLEETS && differences.isEmpty(); seed++) {
            Simulation.run(Planner.of(seed), Comparison::new);
        }

        System.out.println(calls);
        assertThat(differences).isEmpty();
        assertThat(calls.keySet())
                .contains("acquire", "release", "renew", "read-acquire", "write-acquire", "rw-renew", "rw-release")
                .contains("multi-acquire", "multi-release", "semaphore-acquire", "semaphore-release", "raise");
    }

    private final class Comparison implements Witness {

        private final SimulatedServer server;
        private final Twin twin;

        Comparison(SimulatedServer server) {
            this.server = server;
            this.twin = new Twin(server);
        }

        @Override
        public List<Object> run(Script script, List<String> keys, List<String> args, Execution execution) {
            if (server.refusal != Refusal.NONE || calls.getOrDefault(script.name(), 0) == CALLS_OF_EACH_SCRIPT) {
                return execution.run(script, keys, args);
            }
            calls.merge(script.name(), 1, Integer::sum);
            Map<String, Object> before = server.copy();
            Outcome earlier = twin.run(before, redis -> PreviousScripts.run(script, keys, args, redis));
            Outcome present = twin.run(before, redis -> redis.run(script, keys, args));
            String difference = present.differsIn(earlier);
            // Only the present version answers that the holder is asked to stop.
            boolean isAsked = difference.equals("answer") && present.keys().contains("holdfast:stop");
            if (!difference.isEmpty() && !isAsked) {
                differences.add(script + " " + keys + " " + args + " with " + RealRedis.state(server) + "\n does    "
                        + present + "\n and did " + earlier);
            }
            return execution.run(script, keys, args);
        }
    }

    /** Half of the clients of a fleet run the earlier scripts. */
    @Test
    void mixedFleetsKeepThePromises() {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + MIXED_FLEETS; seed++) {
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
