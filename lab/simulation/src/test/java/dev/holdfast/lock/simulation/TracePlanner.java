package dev.holdfast.lock.simulation;

import dev.holdfast.lock.simulation.LockSpec.Kind;
import dev.holdfast.lock.simulation.Plan.CallerPlan;
import dev.holdfast.lock.simulation.Plan.Client;
import dev.holdfast.lock.simulation.Plan.End;
import dev.holdfast.lock.simulation.Plan.Fault;
import dev.holdfast.lock.simulation.Plan.FaultKind;
import dev.holdfast.lock.simulation.Plan.Profile;
import dev.holdfast.lock.simulation.Plan.Role;
import dev.holdfast.lock.simulation.Plan.Step;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes a plan that the model covers out of any plan: its callers acquire one plain lock, a few times each. Redis forgets nothing, and there are no
 * minimum holds and no replicas.
 */
final class TracePlanner {

    static final String LOCK = "a";

    private static final LockSpec PLAIN = new LockSpec(Kind.PLAIN, List.of(LOCK), 0);
    private static final int CALLERS = 2;
    private static final int STEPS = 4;
    /** The callers are done early, so faults come early too. */
    private static final int SOONER = 6;
    /** A server that does not know a script makes its client send it again, which the gateway keeps to itself. */
    private static final Set<FaultKind> LEFT_OUT = Set.of(FaultKind.FORGET_SCRIPTS);

    private TracePlanner() {}

    static Plan of(long seed) {
        Plan plan = Planner.unwired(seed);
        List<Client> clients = plan.clients().stream()
                .map(client -> new Client(
                        client.driftPpm(),
                        client.pollMillis(),
                        client.watchdogMillis(),
                        client.handOvers(),
                        0,
                        client.subscribes()))
                .toList();
        Map<Integer, Integer> ofClient = new HashMap<>();
        List<CallerPlan> callers = plan.callers().stream()
                .filter(caller -> ofClient.merge(caller.client(), 1, Integer::sum) <= CALLERS)
                .map(caller -> new CallerPlan(
                        caller.client(),
                        Role.LEASES,
                        caller.steps().stream()
                                .limit(STEPS)
                                .map(TracePlanner::plain)
                                .toList()))
                .toList();
        List<Fault> faults = plan.faults().stream()
                .filter(fault -> !fault.kind().needsLoss()
                        && !fault.kind().needsClock()
                        && !fault.kind().needsWire()
                        && !LEFT_OUT.contains(fault.kind()))
                .map(fault -> new Fault(
                        fault.kind(),
                        fault.atMillis() / SOONER,
                        fault.target(),
                        0,
                        fault.forMillis(),
                        fault.number(),
                        fault.afterCallMicros()))
                .toList();
        Profile profile = faults.isEmpty() ? Profile.CALM : Profile.SOUND;
        return new Plan(seed, profile, 1, clients, callers, faults, plan.endMillis());
    }

    private static Step plain(Step step) {
        End end = step.end() == End.MIN_HOLD || step.end() == End.RECORD ? End.RELEASE : step.end();
        return new Step(
                PLAIN,
                step.thinkMicros(),
                step.waitMillis(),
                step.leaseMillis(),
                step.throwing(),
                step.holdMicros(),
                0,
                step.maxHoldMillis(),
                step.cancelMicros(),
                end,
                step.changeMillis());
    }
}
