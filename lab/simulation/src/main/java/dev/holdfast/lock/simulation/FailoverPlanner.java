package dev.holdfast.lock.simulation;

import dev.holdfast.lock.simulation.LockSpec.Kind;
import dev.holdfast.lock.simulation.Plan.CallerPlan;
import dev.holdfast.lock.simulation.Plan.Client;
import dev.holdfast.lock.simulation.Plan.End;
import dev.holdfast.lock.simulation.Plan.Fault;
import dev.holdfast.lock.simulation.Plan.FaultKind;
import dev.holdfast.lock.simulation.Plan.Profile;
import dev.holdfast.lock.simulation.Plan.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Creates plans in which clients have a grace, and Redis loses data while locks are held. */
final class FailoverPlanner {

    static final int LONGEST_LEASE = 1_600;
    /** The shortest grace for that lease. */
    static final Duration GRACE = Duration.ofMillis(2_400);

    static final List<FaultKind> LOSSES =
            List.of(FaultKind.GO_BACK, FaultKind.GO_BACK, FaultKind.LOSE, FaultKind.SERVER_RESTART);
    private static final List<FaultKind> OTHERS = List.of(
            FaultKind.CUT_COMMANDS,
            FaultKind.CUT_COMMANDS,
            FaultKind.CUT_MESSAGES,
            FaultKind.HALF_OPEN,
            FaultKind.DEAF,
            FaultKind.SPLIT,
            FaultKind.SLOW,
            FaultKind.PAUSE,
            FaultKind.DIE,
            FaultKind.CLOSE,
            FaultKind.SERVER_PAUSE,
            FaultKind.STALL,
            FaultKind.FORGET_SCRIPTS);

    private final long seed;
    private final Chance chance;

    private FailoverPlanner(long seed) {
        this.seed = seed;
        this.chance = Chance.of(seed, "failover");
    }

    static Plan of(long seed) {
        return new FailoverPlanner(seed).plan();
    }

    private Plan plan() {
        List<LockSpec> locks = locks();
        int count = 2 + chance.below(3);
        int crowd = 1 + chance.below(3);
        List<Client> clients = new ArrayList<>();
        List<CallerPlan> callers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            clients.add(new Client((int) chance.between(-200, 200), 1_000, LONGEST_LEASE, 32, 0, true));
            for (int j = 0; j < crowd; j++) {
                callers.add(new CallerPlan(i, steps(locks)));
            }
        }
        return new Plan(seed, Profile.FAILOVER, 1, clients, callers, faults(count), Planner.END_MILLIS);
    }

    private List<LockSpec> locks() {
        // From a chance of its own, so that other plans stay as they are.
        Kind several = Chance.of(seed, "several locks").onceIn(3) ? Kind.MULTI : Kind.NAMES;
        return switch (chance.below(6)) {
            case 0, 1 -> List.of(new LockSpec(Kind.PLAIN, List.of("a"), 0));
            case 2 -> List.of(new LockSpec(Kind.FAIR, List.of("f"), 0));
            case 3 ->
                List.of(
                        new LockSpec(Kind.READ, List.of("r"), 0),
                        new LockSpec(Kind.READ, List.of("r"), 0),
                        new LockSpec(Kind.WRITE, List.of("r"), 0));
            case 4 ->
                List.of(new LockSpec(
                        chance.onceIn(2) ? Kind.SEMAPHORE : Kind.FAIR_SEMAPHORE, List.of("s"), 1 + chance.below(3)));
            default ->
                List.of(
                        new LockSpec(several, List.of("a", "b"), 0),
                        new LockSpec(Kind.PLAIN, List.of("a"), 0),
                        new LockSpec(Kind.PLAIN, List.of("b"), 0));
        };
    }

    private List<Step> steps(List<LockSpec> locks) {
        List<Step> steps = new ArrayList<>();
        int pace = chance.onceIn(2) ? 20_000 : 400_000;
        for (int i = 0; i < 60; i++) {
            LockSpec lock = locks.get(chance.below(locks.size()));
            int hold = chance.onceIn(3) ? chance.below(4_000_000) : chance.below(pace);
            Step step = Step.of(lock, chance.below(pace), chance.onceIn(4) ? 0 : 20_000, hold);
            if (chance.onceIn(3)) {
                step = step.leased(200 + chance.below(LONGEST_LEASE - 200));
            }
            steps.add(chance.onceIn(12) ? step.ending(chance.onceIn(2) ? End.VERIFY : End.EXPIRE, 0) : step);
        }
        return steps;
    }

    private List<Fault> faults(int clients) {
        List<Fault> faults = new ArrayList<>();
        int at = 0;
        for (int i = 0; i < 3; i++) {
            at += 1_000 + chance.below(6_000);
            // The loss comes shortly after a call, when a replica does not have the latest grant or release yet.
            int afterCall = chance.onceIn(2) ? chance.below(2_000) : -1;
            add(faults, LOSSES, at, clients, chance.below(chance.onceIn(3) ? 1_500 : 100), afterCall);
        }
        int others = chance.below(10);
        for (int i = 0; i < others; i++) {
            int length = chance.onceIn(3) ? chance.below(4_000) : chance.below(400);
            add(faults, OTHERS, chance.below(Planner.END_MILLIS), clients, length, -1);
        }
        return faults;
    }

    private void add(
            List<Fault> faults, List<FaultKind> kinds, int at, int clients, int forMillis, int afterCallMicros) {
        FaultKind kind = kinds.get(chance.below(kinds.size()));
        faults.add(new Fault(kind, at, chance.below(clients), 0, forMillis, chance.below(1 << 20), afterCallMicros));
    }
}
