package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.simulation.SimulatedServer.Execution;
import dev.holdfast.lock.simulation.SimulatedServer.Refusal;
import dev.holdfast.lock.simulation.SimulatedServer.Witness;
import dev.holdfast.lock.test.memory.MemoryRedis;
import dev.holdfast.lock.test.memory.Messages;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Clients of this version and of an earlier one share locks, and their places in one queue. */
class MixedVersionsTest {

    private static final int FLEETS = Integer.getInteger("mixed.fleets", 70);
    private static final int CALLS_OF_EACH_SCRIPT = Integer.getInteger("mixed.calls", 500);

    private final List<String> differences = new ArrayList<>();
    private final Map<String, Integer> calls = new TreeMap<>();

    /** Each script writes, answers and publishes what the earlier one does. */
    @Test
    void scriptsOfBothVersionsDoTheSame() {
        for (long seed = 1; seed <= FLEETS && differences.isEmpty(); seed++) {
            Simulation.run(Planner.of(seed), Comparison::new);
        }

        System.out.println(calls);
        assertThat(differences).isEmpty();
        assertThat(calls.keySet())
                .contains("acquire", "release", "renew", "read-acquire", "write-acquire", "rw-renew", "rw-release")
                .contains("multi-acquire", "multi-release", "semaphore-acquire", "semaphore-release", "raise");
    }

    private final class Comparison implements Witness, Messages {

        private final SimulatedServer server;
        private final MemoryRedis twin;
        private final List<String> published = new ArrayList<>();

        Comparison(SimulatedServer server) {
            this.server = server;
            this.twin = server.twin(this);
        }

        @Override
        public List<Object> run(Script script, List<String> keys, List<String> args, Execution execution) {
            if (server.refusal != Refusal.NONE || calls.getOrDefault(script.name(), 0) == CALLS_OF_EACH_SCRIPT) {
                return execution.run(script, keys, args);
            }
            calls.merge(script.name(), 1, Integer::sum);
            Map<String, Object> before = server.copy();
            twin.restore(before);
            published.clear();
            String earlier = outcome(() -> PreviousScripts.run(script, keys, args, twin::run))
                    + published
                    + RealRedis.state(twin.keys(), twin::command);
            twin.restore(before);
            published.clear();
            String present = outcome(() -> twin.run(script, keys, args))
                    + published
                    + RealRedis.state(twin.keys(), twin::command);
            if (!present.equals(earlier)) {
                differences.add(script + " " + keys + " " + args + " with " + RealRedis.state(server) + "\n does    "
                        + present + "\n and did " + earlier);
            }
            return execution.run(script, keys, args);
        }

        @Override
        public long publish(String channel, String message) {
            published.add(channel + ": " + message);
            return server.listening(channel);
        }

        @Override
        public long listeners(String channel) {
            return server.listening(channel);
        }
    }

    private interface Run {
        List<Object> run();
    }

    private static String outcome(Run run) {
        try {
            return run.run().toString();
        } catch (RedisFailure refused) {
            return String.valueOf(refused.getMessage());
        }
    }

    /** Half of the clients of a fleet run the earlier scripts. */
    @Test
    void mixedFleetsKeepThePromises() {
        for (long seed = 1; seed <= FLEETS; seed++) {
            Plan plan = Planner.of(seed);
            if (plan.profile() == Plan.Profile.FAILOVER) {
                // The earlier version knows no grace.
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
