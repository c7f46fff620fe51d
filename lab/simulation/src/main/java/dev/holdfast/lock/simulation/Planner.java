package dev.holdfast.lock.simulation;

import dev.holdfast.lock.simulation.LockSpec.Kind;
import dev.holdfast.lock.simulation.Plan.CallerPlan;
import dev.holdfast.lock.simulation.Plan.Client;
import dev.holdfast.lock.simulation.Plan.End;
import dev.holdfast.lock.simulation.Plan.Fault;
import dev.holdfast.lock.simulation.Plan.FaultKind;
import dev.holdfast.lock.simulation.Plan.Profile;
import dev.holdfast.lock.simulation.Plan.Step;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Creates a plan from a seed. */
final class Planner {

    static final int END_MILLIS = 20_000;
    private static final int QUORUM_ONCE_IN = 12;
    private static final int MORE_ONCE_IN = 6;
    private static final int FOCUSED_ONCE_IN = 6;
    private static final int CUT_CLOSINGS_ONCE_IN = 40;
    private static final int PERMITS_ONCE_IN = 40;
    private static final int FAILOVERS_ONCE_IN = 15;
    private static final int SCENES_ONCE_IN = 3;
    /** The focuses among which a seed chooses. Those that were added later have random numbers of their own. */
    private static final List<Focus> FIRST_FOCUSES = List.of(
            Focus.EXPIRIES,
            Focus.LATE_ANSWERS,
            Focus.CLOSINGS,
            Focus.CUTS,
            Focus.LATE_RENEWALS,
            Focus.LOST_KEYS,
            Focus.LONG_PAUSES);

    /** The scenes among which a seed chooses. Their places stay as they are, so that seeds that failed before keep their plans. */
    private static final List<Focus> SCENES = List.of(
            Focus.LONG_HOLDS,
            Focus.SHORT_OUTAGES,
            Focus.CANCELS,
            Focus.MIN_HOLDS,
            Focus.DEPARTURES,
            Focus.CANCELS,
            Focus.THREADS,
            Focus.RUN_OUT,
            Focus.FORCED,
            Focus.THREADS,
            Focus.ELECTIONS,
            Focus.RECORDS);

    /** The scenes that were added last. They have random numbers of their own, as their predecessors have. */
    private static final List<Focus> LATEST =
            List.of(Focus.MIXTURE, Focus.MIXTURE, Focus.GRACES, Focus.GRACES, Focus.CROWDS);

    private static final int LATEST_ONCE_IN = 8;
    private static final int STOPS_ONCE_IN = 20;

    private static final List<End> ENDS = List.of(End.RELEASE, End.EXPIRE, End.VERIFY, End.EXTEND, End.MIN_HOLD);
    private static final Set<FaultKind> FIRST_KINDS = EnumSet.range(FaultKind.CUT_COMMANDS, FaultKind.JUMP_BACK);
    /** Drawn by {@link #more}. A kind that is added now needs random numbers of its own, as those of {@link WirePlanner} have. */
    private static final List<FaultKind> LATER_KINDS =
            List.of(FaultKind.CLOSE, FaultKind.STALL, FaultKind.FORGET_SCRIPTS);

    private final long seed;
    private final Chance chance;
    /** Separate random numbers for faults that were added later, so that most seeds that failed before keep their plans. */
    private final Chance more;

    private final boolean hasMore;
    private final Profile profile;

    private Planner(long seed) {
        this.seed = seed;
        this.chance = Chance.of(seed, "plan");
        this.more = Chance.of(seed, "more 27");
        this.hasMore = more.onceIn(MORE_ONCE_IN);
        this.profile = switch (chance.below(10)) {
            case 0, 1 -> Profile.CALM;
            case 2, 3, 4, 5, 6 -> Profile.SOUND;
            case 7, 8 -> Profile.LOSSY;
            default -> Profile.CLOCKS;
        };
    }

    static Plan of(long seed) {
        if (Chance.of(seed, "stops 23").onceIn(STOPS_ONCE_IN)) {
            return FocusedPlanner.of(seed, Focus.STOPS);
        }
        Chance latest = Chance.of(seed, "latest scenes 886");
        if (latest.onceIn(LATEST_ONCE_IN)) {
            return FocusedPlanner.of(seed, LATEST.get(latest.below(LATEST.size())));
        }
        if (Chance.of(seed, "failovers 928").onceIn(FAILOVERS_ONCE_IN)) {
            return FocusedPlanner.of(seed, Focus.FAILOVERS);
        }
        Chance scene = Chance.of(seed, "scenes 211836");
        if (scene.onceIn(SCENES_ONCE_IN)) {
            return FocusedPlanner.of(seed, SCENES.get(scene.below(SCENES.size())));
        }
        return WirePlanner.isFor(seed) ? WirePlanner.over(withoutScenes(seed)) : withoutScenes(seed);
    }

    /** The texts in quotes were chosen so that the seeds that failed before keep their plans. */
    static Plan withoutScenes(long seed) {
        if (Chance.of(seed, "cut closings 31").onceIn(CUT_CLOSINGS_ONCE_IN)) {
            return FocusedPlanner.of(seed, Focus.CUT_CLOSINGS);
        }
        if (Chance.of(seed, "permits").onceIn(PERMITS_ONCE_IN)) {
            return FocusedPlanner.of(seed, Focus.PERMITS);
        }
        Chance focused = Chance.of(seed, "focus 20");
        return focused.onceIn(FOCUSED_ONCE_IN)
                ? FocusedPlanner.of(seed, FIRST_FOCUSES.get(focused.below(FIRST_FOCUSES.size())))
                : new Planner(seed).plan();
    }

    private Plan plan() {
        boolean quorum = chance.onceIn(QUORUM_ONCE_IN);
        List<LockSpec> locks = quorum ? List.of(new LockSpec(Kind.QUORUM, List.of("q"), 0)) : locks();
        List<Client> clients = new ArrayList<>();
        int count = 2 + chance.below(3);
        for (int i = 0; i < count; i++) {
            clients.add(client());
        }
        List<CallerPlan> callers = new ArrayList<>();
        int crowd = 1 + chance.below(chance.onceIn(3) ? 8 : 3);
        int pace = chance.onceIn(3) ? 200_000 : chance.onceIn(2) ? 20_000 : 2_000;
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < crowd; j++) {
                callers.add(new CallerPlan(i, steps(locks, pace)));
            }
        }
        return new Plan(seed, profile, quorum ? 3 : 1, clients, callers, faults(count, quorum ? 3 : 1), END_MILLIS);
    }

    private Client client() {
        int watchdog = chance.onceIn(2) ? 30_000 : 1_500;
        return new Client(
                (int) chance.between(-200, 200),
                1_000,
                watchdog,
                chance.onceIn(4) ? 0 : 32,
                chance.onceIn(15) ? 1 : 0,
                !hasMore || !more.onceIn(4));
    }

    private List<LockSpec> locks() {
        int kind = chance.below(9);
        return switch (kind) {
            case 0, 1 -> List.of(new LockSpec(Kind.PLAIN, List.of("a"), 0));
            case 2 -> List.of(new LockSpec(Kind.PLAIN, List.of("a"), 0), new LockSpec(Kind.PLAIN, List.of("b"), 0));
            case 3 -> List.of(new LockSpec(Kind.FAIR, List.of("f"), 0));
            case 4, 5 ->
                List.of(
                        new LockSpec(Kind.READ, List.of("r"), 0),
                        new LockSpec(Kind.READ, List.of("r"), 0),
                        new LockSpec(Kind.WRITE, List.of("r"), 0));
            case 6 ->
                List.of(new LockSpec(
                        chance.onceIn(2) ? Kind.SEMAPHORE : Kind.FAIR_SEMAPHORE, List.of("s"), 1 + chance.below(3)));
            case 7 ->
                List.of(
                        new LockSpec(Kind.NAMES, List.of("a", "b"), 0),
                        new LockSpec(Kind.PLAIN, List.of("a"), 0),
                        new LockSpec(Kind.PLAIN, List.of("b"), 0));
            default ->
                List.of(new LockSpec(Kind.MULTI, List.of("a", "b"), 0), new LockSpec(Kind.PLAIN, List.of("b"), 0));
        };
    }

    private List<Step> steps(List<LockSpec> locks, int pace) {
        int count = 10 + chance.below(60);
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            steps.add(step(locks.get(chance.below(locks.size())), pace));
        }
        return steps;
    }

    private Step step(LockSpec lock, int pace) {
        int wait = chance.onceIn(5) ? 0 : chance.onceIn(3) ? 20 + chance.below(300) : 3_000 + chance.below(20_000);
        int lease = chance.onceIn(2) ? 0 : chance.onceIn(4) ? 300 + chance.below(700) : 2_000 + chance.below(6_000);
        boolean minHold = lock.kind() != Kind.QUORUM && lock.kind() != Kind.MULTI && chance.onceIn(15);
        End end = End.RELEASE;
        if (chance.onceIn(12)) {
            end = ENDS.get(chance.below(ENDS.size()));
        }
        boolean shared = lock.kind().isShared();
        return new Step(
                lock,
                chance.below(pace * 2 + 1),
                wait,
                lease,
                chance.onceIn(4),
                chance.below(1 + (shared ? 2 * pace : pace)) + (chance.onceIn(30) ? chance.below(2_000_000) : 0),
                minHold ? 1 + chance.below(800) : 0,
                chance.onceIn(20) ? 50 + chance.below(2_000) : 0,
                wait > 0 && chance.onceIn(8) ? 1_000 * (1 + chance.below(400)) : 0,
                end,
                end == End.MIN_HOLD ? 300 : 3_000);
    }

    /** Returns additional faults. In calm plans, clients only close. */
    private List<Fault> moreFaults(int clients, int servers) {
        List<Fault> faults = new ArrayList<>();
        int count = hasMore ? more.below(9) : 0;
        for (int i = 0; i < count; i++) {
            FaultKind kind = LATER_KINDS.get(profile == Profile.CALM ? 0 : more.below(LATER_KINDS.size()));
            faults.add(new Fault(
                    kind,
                    more.below(END_MILLIS),
                    more.below(clients),
                    more.below(servers),
                    more.below(6_000),
                    more.below(1 << 20)));
        }
        return faults;
    }

    private List<Fault> faults(int clients, int servers) {
        List<Fault> faults = moreFaults(clients, servers);
        if (profile == Profile.CALM) {
            return faults;
        }
        List<FaultKind> kinds = FIRST_KINDS.stream()
                .filter(kind -> !kind.needsLoss() || profile == Profile.LOSSY)
                .filter(kind -> !kind.needsClock() || profile == Profile.CLOCKS)
                .toList();
        int count = 3 + chance.below(25);
        for (int i = 0; i < count; i++) {
            FaultKind kind = kinds.get(chance.below(kinds.size()));
            int length = chance.onceIn(3) ? chance.below(6_000) : chance.below(400);
            faults.add(new Fault(
                    kind,
                    chance.below(END_MILLIS),
                    chance.below(clients),
                    chance.below(servers),
                    length,
                    chance.below(1 << 20)));
        }
        return faults;
    }
}
