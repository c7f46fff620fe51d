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
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** Creates a plan for a scene: a focus with its own kinds of locks, callers, and faults. */
final class ScenePlanner {

    private static final int LONG_WATCHDOG = 30_000;
    private static final int SHORT_WATCHDOG = 1_500;
    private static final int PATIENT = 40_000;

    private static final List<FaultKind> OUTAGES =
            List.of(FaultKind.SPLIT, FaultKind.SPLIT, FaultKind.SERVER_RESTART, FaultKind.REFUSE);
    private static final List<FaultKind> MILD = List.of(
            FaultKind.CUT_COMMANDS, FaultKind.CUT_MESSAGES, FaultKind.SLOW, FaultKind.SERVER_PAUSE, FaultKind.PAUSE);

    private final long seed;
    private final Chance chance;
    private final List<Client> clients = new ArrayList<>();
    private final List<CallerPlan> callers = new ArrayList<>();
    private final List<Fault> faults = new ArrayList<>();
    private Profile profile = Profile.CALM;
    private int endMillis = Planner.END_MILLIS;

    private ScenePlanner(long seed, Focus focus) {
        this.seed = seed;
        this.chance = Chance.of(seed, "scene " + focus.name());
    }

    static Plan of(long seed, Focus focus) {
        ScenePlanner planner = new ScenePlanner(seed, focus);
        switch (focus) {
            case LONG_HOLDS -> planner.longHolds();
            case SHORT_OUTAGES -> planner.shortOutages();
            case CANCELS -> planner.cancels();
            case MIN_HOLDS -> planner.minHolds();
            case DEPARTURES -> planner.departures();
            case RUN_OUT -> planner.runOut();
            case FORCED -> planner.forced();
            case THREADS -> planner.threads();
            case ELECTIONS -> planner.elections();
            case RECORDS -> planner.records();
            case MIXTURE -> planner.mixture();
            case CROWDS -> planner.crowds();
            case GRACES -> planner.graces();
            case STOPS -> planner.stops();
            default -> throw new IllegalStateException(focus.name());
        }
        return planner.plan();
    }

    private Plan plan() {
        return new Plan(seed, profile, 1, clients, callers, faults, endMillis);
    }

    private void longHolds() {
        endMillis = 90_000;
        List<LockSpec> locks = chance.onceIn(4) ? severalNames() : locks();
        crowd(2 + chance.below(2), 2, 8, Role.LEASES, i -> {
            LockSpec lock = oneOf(locks);
            if (chance.onceIn(3)) {
                return Step.of(lock, micros(300), PATIENT, micros(100));
            }
            Step step = Step.of(lock, micros(1_000), PATIENT, 1_000 * (4_000 + chance.below(36_000)));
            if (chance.onceIn(3)) {
                step = step.leased(3_000 + chance.below(42_000));
            }
            if (chance.onceIn(3)) {
                step = step.ending(End.EXTEND, 1_600 + chance.below(18_000));
            }
            return chance.onceIn(10) ? step.within(0, 2_000 + chance.below(20_000)) : step;
        });
        if (chance.onceIn(2)) {
            profile = Profile.SOUND;
            for (int i = 0; i < 5; i++) {
                fault(oneOf(MILD), chance.below(endMillis), chance.below(clients.size()), chance.below(700), -1);
            }
        }
    }

    private void shortOutages() {
        endMillis = 60_000;
        profile = Profile.SOUND;
        List<LockSpec> locks =
                chance.onceIn(3) ? locks() : List.of(lock(Kind.PLAIN, "a"), lock(Kind.FAIR, "f"), rw(Kind.WRITE));
        for (int i = 0; i < 2; i++) {
            client(LONG_WATCHDOG, 0);
            LockSpec lock = locks.get(i % locks.size());
            caller(i, Role.LEASES, 2, step -> Step.of(lock, micros(1_000), PATIENT, 38_000_000));
        }
        for (int round = 1; round < 6; round++) {
            int length = 300 + chance.below(2_200);
            int at = round * 9_900 - chance.below(length + 1_000) + 500;
            fault(oneOf(OUTAGES), at, chance.below(clients.size()), length, -1);
            fault(oneOf(OUTAGES), at, chance.below(clients.size()), length, -1);
        }
    }

    private void cancels() {
        List<LockSpec> locks = locks();
        crowd(3, 3, 40, Role.LEASES, i -> {
            Step step = Step.of(oneOf(locks), micros(20), 500 + chance.below(5_000), micros(4));
            return chance.onceIn(4) ? step : step.canceledAfter(30 + chance.below(1_500));
        });
    }

    private void minHolds() {
        profile = Profile.SOUND;
        List<LockSpec> locks = locks();
        crowd(2 + chance.below(2), 2, 20, Role.LEASES, i -> {
            Step step = Step.of(oneOf(locks), micros(100), 10_000, micros(1_500));
            step = chance.onceIn(2) ? step.leased(200 + chance.below(1_300)) : step;
            step = step.within(300 + chance.below(2_700), chance.onceIn(2) ? 50 + chance.below(1_000) : 0);
            return chance.onceIn(6) ? step.ending(End.MIN_HOLD, 500 + chance.below(2_000)) : step;
        });
        for (int i = 0; i < 6; i++) {
            FaultKind kind = chance.onceIn(2) ? FaultKind.CLOSE : FaultKind.DIE;
            fault(
                    kind,
                    chance.below(endMillis),
                    chance.below(clients.size()),
                    chance.below(800),
                    chance.below(1_000_000));
        }
    }

    private void departures() {
        endMillis = 60_000;
        LockSpec lock = switch (chance.below(4)) {
            case 0, 1 -> lock(Kind.FAIR, "f");
            case 2 -> new LockSpec(Kind.FAIR_SEMAPHORE, List.of("s"), 1);
            default -> lock(Kind.PLAIN, "a");
        };
        for (int i = 0; i < 5; i++) {
            // A release cannot grant the lock to a client with replicas. It tells it to ask, and then it gives up.
            boolean leaves = i % 2 == 1;
            client(LONG_WATCHDOG, leaves ? 1 : 0);
            caller(i, Role.LEASES, 40, step -> {
                Step waits = Step.of(lock, micros(3_000), 20_000, micros(1_500));
                return leaves ? waits.canceledAfter(-100 - chance.below(1_000)) : waits;
            });
        }
    }

    private void runOut() {
        endMillis = 60_000;
        profile = Profile.SOUND;
        LockSpec lock = new LockSpec(chance.onceIn(2) ? Kind.SEMAPHORE : Kind.FAIR_SEMAPHORE, List.of("s"), 2);
        client(LONG_WATCHDOG, 0);
        caller(
                0,
                Role.LEASES,
                20,
                i -> Step.of(lock, micros(200), PATIENT, micros(300))
                        .leased(1_000 + chance.below(4_000))
                        .ending(End.EXPIRE, 0));
        for (int i = 1; i < 3; i++) {
            client(LONG_WATCHDOG, 0);
        }
        caller(1, Role.LEASES, 2, i -> Step.of(lock, micros(200), PATIENT, 38_000_000));
        caller(2, Role.LEASES, 60, i -> Step.of(lock, micros(500), PATIENT, micros(300)));
        fault(FaultKind.PAUSE, 1_000 + chance.below(8_000), 0, 32_000, -1);
    }

    private void forced() {
        profile = Profile.SOUND;
        List<LockSpec> locks = locks();
        crowd(2 + chance.below(2), 2, 30, Role.LEASES, i -> {
            Step step = Step.of(oneOf(locks), micros(200), 10_000, micros(chance.onceIn(4) ? 2_500 : 300));
            End end = chance.onceIn(2) ? End.RELEASE : chance.onceIn(2) ? End.VERIFY : End.RECORD;
            step = step.ending(end == End.RECORD && step.lock().kind().isComposite() ? End.EXTEND : end, 2_000);
            step = chance.onceIn(3) ? step.leased(1_000 + chance.below(6_000)) : step;
            return chance.onceIn(8) ? step.within(200 + chance.below(1_500), 0) : step;
        });
        for (int i = 0; i < 20; i++) {
            fault(FaultKind.FORCE, chance.below(endMillis), chance.below(clients.size()), 0, -1);
        }
    }

    private void stops() {
        profile = oneOf(List.of(Profile.CALM, Profile.SOUND, Profile.FAILOVER));
        // A longer lease could outlive the grace, and would be refused.
        boolean isRenewed = profile == Profile.FAILOVER;
        List<LockSpec> locks =
                chance.onceIn(3) ? severalNames() : List.of(lock(chance.onceIn(2) ? Kind.PLAIN : Kind.FAIR, "a"));
        crowd(2 + chance.below(2), 3, 25, Role.LEASES, i -> {
            Step step = Step.of(oneOf(locks), micros(300), 10_000, micros(chance.onceIn(3) ? 2_500 : 15));
            step = chance.onceIn(4)
                    ? step.ending(isRenewed || chance.onceIn(2) ? End.VERIFY : End.EXTEND, 2_000)
                    : step;
            return !isRenewed && chance.onceIn(4) ? step.leased(1_000 + chance.below(6_000)) : step;
        });
        for (int i = 0; i < 40; i++) {
            fault(
                    FaultKind.STOP,
                    chance.below(endMillis),
                    chance.below(clients.size()),
                    0,
                    chance.onceIn(2) ? chance.below(15_000) : -1);
        }
        for (int i = 0; profile != Profile.CALM && i < 4; i++) {
            List<FaultKind> kinds = profile == Profile.SOUND ? MILD : FailoverPlanner.LOSSES;
            fault(oneOf(kinds), chance.below(endMillis), chance.below(clients.size()), chance.below(700), -1);
        }
    }

    private void threads() {
        List<LockSpec> locks = chance.onceIn(2)
                ? List.of(rw(Kind.READ), rw(Kind.WRITE), rw(Kind.WRITE))
                : List.of(rw(Kind.READ), rw(Kind.READ), rw(Kind.READ), rw(Kind.READ), rw(Kind.WRITE));
        if (chance.onceIn(3)) {
            locks = List.of(lock(chance.onceIn(2) ? Kind.PLAIN : Kind.FAIR, "a"));
        }
        List<LockSpec> chosen = locks;
        IntFunction<Step> steps = i -> {
            Step step = Step.of(
                    oneOf(chosen), micros(100), chance.onceIn(5) ? 0 : 10_000, micros(chance.onceIn(4) ? 3_000 : 60));
            step = chance.onceIn(2) ? step : step.leased(300 + chance.below(2_500));
            // The length of the nested lease; 0 for one that is renewed.
            return step.ending(End.RELEASE, chance.onceIn(2) ? 0 : 200 + chance.below(5_000));
        };
        crowd(2 + chance.below(2), 2, 25, Role.THREAD, steps);
        for (int i = 0; i < clients.size(); i++) {
            caller(i, Role.LEASES, 25, steps);
        }
        if (chance.onceIn(2)) {
            profile = Profile.SOUND;
            for (int i = 0; i < 4; i++) {
                fault(oneOf(MILD), chance.below(endMillis), chance.below(clients.size()), chance.below(700), -1);
            }
        }
    }

    private void elections() {
        endMillis = 60_000;
        LockSpec lock = lock(chance.onceIn(2) ? Kind.PLAIN : Kind.FAIR, "e");
        int lease = chance.onceIn(2) ? 0 : 1_500 + chance.below(10_000);
        crowd(
                2 + chance.below(2),
                1,
                12,
                Role.CANDIDATE,
                i -> Step.of(lock, micros(2_000), 0, 1_000 * (500 + chance.below(9_000)))
                        .leased(lease)
                        .ending(chance.onceIn(3) ? End.EXPIRE : End.RELEASE, 0));
        if (!chance.onceIn(3)) {
            profile = Profile.SOUND;
            List<FaultKind> kinds = new ArrayList<>(MILD);
            kinds.addAll(OUTAGES);
            kinds.addAll(List.of(FaultKind.DIE, FaultKind.FORCE, FaultKind.FORCE));
            for (int i = 0; i < 8; i++) {
                fault(oneOf(kinds), chance.below(endMillis), chance.below(clients.size()), chance.below(3_000), -1);
            }
        }
    }

    private void records() {
        LockSpec lock = lock(chance.onceIn(2) ? Kind.PLAIN : Kind.FAIR, "a");
        crowd(2 + chance.below(2), 2, 30, Role.LEASES, i -> {
            Step step = Step.of(lock, micros(100), 10_000, micros(400));
            step = chance.onceIn(2) ? step : step.leased(100 + chance.below(400));
            return step.ending(chance.onceIn(4) ? End.RELEASE : End.RECORD, 0);
        });
        if (chance.onceIn(2)) {
            profile = Profile.SOUND;
            for (int i = 0; i < 12; i++) {
                fault(
                        chance.onceIn(2) ? FaultKind.FORCE : oneOf(MILD),
                        chance.below(endMillis),
                        chance.below(clients.size()),
                        chance.below(900),
                        -1);
            }
        }
    }

    private static final List<End> ENDS =
            List.of(End.RELEASE, End.RELEASE, End.EXPIRE, End.VERIFY, End.EXTEND, End.MIN_HOLD, End.RECORD, End.RECORD);

    /** Returns one step with any options, whose leases are no longer than given. */
    private Step anyStep(List<LockSpec> locks, int longestMillis) {
        LockSpec lock = oneOf(locks);
        Step step = Step.of(lock, micros(200), chance.onceIn(4) ? 0 : PATIENT, micros(chance.onceIn(4) ? 4_000 : 150));
        step = chance.onceIn(2) ? step : step.leased(100 + chance.below(longestMillis - 100));
        step = chance.onceIn(6) && !lock.kind().isComposite() ? step.within(1 + chance.below(1_200), 0) : step;
        step = chance.onceIn(12) ? step.within(step.minHoldMillis(), 50 + chance.below(2_000)) : step;
        step = chance.onceIn(10) && step.waitMillis() > 0 ? step.canceledAfter(100 + chance.below(600_000)) : step;
        End end = oneOf(ENDS);
        boolean isPart = lock.kind().isComposite() && end != End.RELEASE && end != End.EXPIRE;
        return step.ending(isPart ? End.VERIFY : end, 100 + chance.below(longestMillis - 100));
    }

    private void anyCallers(int longestMillis, int steps) {
        List<LockSpec> locks = chance.onceIn(4) ? severalNames() : locks();
        boolean hasThreads = locks.stream()
                .noneMatch(lock -> lock.permits() > 0 || lock.names().size() > 1);
        for (int i = 0; i < clients.size(); i++) {
            caller(i, Role.LEASES, steps, step -> anyStep(locks, longestMillis));
            if (hasThreads && chance.onceIn(2)) {
                caller(i, Role.THREAD, steps, step -> asThread(anyStep(locks, longestMillis)));
            } else {
                caller(i, Role.LEASES, steps, step -> anyStep(locks, longestMillis));
            }
        }
    }

    /** Returns the step without what a thread cannot ask for. */
    private Step asThread(Step step) {
        return step.within(0, 0).canceledAfter(0).ending(End.RELEASE, chance.onceIn(2) ? 0 : step.changeMillis());
    }

    private void mixture() {
        int count = 2 + chance.below(3);
        boolean isLong = chance.onceIn(2);
        for (int i = 0; i < count; i++) {
            client(isLong ? LONG_WATCHDOG : SHORT_WATCHDOG, 0);
        }
        anyCallers(isLong ? 8_000 : 2_000, 25);
        if (chance.onceIn(2)) {
            profile = Profile.SOUND;
            List<FaultKind> kinds = new ArrayList<>(MILD);
            kinds.addAll(List.of(FaultKind.FORCE, FaultKind.FORCE, FaultKind.DIE, FaultKind.CLOSE));
            for (int i = 0; i < 6; i++) {
                fault(oneOf(kinds), chance.below(endMillis), chance.below(clients.size()), chance.below(900), -1);
            }
        }
    }

    private void crowds() {
        int each = 25 + chance.below(75);
        int permits = 2 + chance.below(120);
        List<LockSpec> locks = switch (chance.below(5)) {
            case 0 -> List.of(lock(Kind.PLAIN, "a"));
            case 1 -> List.of(lock(Kind.FAIR, "f"));
            case 2 ->
                List.of(new LockSpec(chance.onceIn(2) ? Kind.SEMAPHORE : Kind.FAIR_SEMAPHORE, List.of("s"), permits));
            case 3 -> List.of(rw(Kind.READ));
            default -> List.of(rw(Kind.WRITE));
        };
        for (int i = 0; i < 3; i++) {
            client(LONG_WATCHDOG, 0);
            for (int j = 0; j < each; j++) {
                boolean writes = locks.get(0).kind() == Kind.READ && j < 2;
                LockSpec lock = writes ? rw(Kind.WRITE) : locks.get(0);
                boolean isShared = lock.kind().isShared();
                caller(i, Role.LEASES, 2, step -> {
                    Step one = Step.of(lock, micros(1_500), PATIENT, micros(isShared ? 5_000 : 40));
                    one = chance.onceIn(3) ? one.leased(3_000 + chance.below(8_000)) : one;
                    return chance.onceIn(10) ? one.canceledAfter(1_000 * (50 + chance.below(4_000))) : one;
                });
            }
        }
        if (!chance.onceIn(3)) {
            profile = Profile.SOUND;
            FaultKind kind = oneOf(List.of(FaultKind.DIE, FaultKind.PAUSE, FaultKind.CLOSE, FaultKind.CUT_MESSAGES));
            fault(kind, 1_000 + chance.below(4_000), 0, 15_000, -1);
        }
    }

    private void graces() {
        boolean isLong = chance.onceIn(4);
        int watchdog = isLong ? LONG_WATCHDOG : FailoverPlanner.LONGEST_LEASE;
        profile = Profile.FAILOVER;
        endMillis = isLong ? 200_000 : Planner.END_MILLIS;
        int count = 2 + chance.below(3);
        for (int i = 0; i < count; i++) {
            client(watchdog, 0);
        }
        anyCallers(watchdog, 40);
        int grace = isLong ? 2 * watchdog : 2_400;
        int at = 0;
        for (int i = 0; i < (isLong ? 2 : 4); i++) {
            at += grace / 4 + chance.below(2 * grace);
            FaultKind kind = chance.onceIn(2) ? FaultKind.SERVES_ON : oneOf(FailoverPlanner.LOSSES);
            int length = kind == FaultKind.SERVES_ON
                    ? chance.below(grace / 4)
                    : chance.below(chance.onceIn(3) ? 1_500 : 100);
            // A loss between any two steps: at any time, or shortly after a call.
            fault(kind, at, chance.below(count), length, chance.onceIn(2) ? chance.below(2_000) : -1);
        }
        int others = chance.below(4);
        for (int i = 0; i < others; i++) {
            fault(oneOf(MILD), chance.below(endMillis), chance.below(count), chance.below(700), -1);
        }
    }

    /** Adds clients with the same number of callers each. */
    private void crowd(int count, int each, int steps, Role role, IntFunction<Step> step) {
        for (int i = 0; i < count; i++) {
            client(chance.onceIn(2) ? LONG_WATCHDOG : SHORT_WATCHDOG, 0);
            for (int j = 0; j < each; j++) {
                caller(i, role, steps, step);
            }
        }
    }

    private void client(int watchdogMillis, int minReplicas) {
        clients.add(new Client((int) chance.between(-200, 200), 1_000, watchdogMillis, 32, minReplicas, true));
    }

    private void caller(int client, Role role, int count, IntFunction<Step> step) {
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            steps.add(step.apply(i));
        }
        callers.add(new CallerPlan(client, role, steps));
    }

    private void fault(FaultKind kind, int atMillis, int client, int forMillis, int afterCallMicros) {
        faults.add(new Fault(kind, atMillis, client, 0, forMillis, chance.below(1 << 20), afterCallMicros));
    }

    /** Returns a random time up to the given one. */
    private int micros(int mostMillis) {
        return chance.below(mostMillis * 1_000);
    }

    private <T> T oneOf(List<T> list) {
        return list.get(chance.below(list.size()));
    }

    /** Returns the locks of one kind. */
    private List<LockSpec> locks() {
        return switch (chance.below(5)) {
            case 0 -> List.of(lock(Kind.PLAIN, "a"));
            case 1 -> List.of(lock(Kind.FAIR, "f"));
            case 2 -> List.of(semaphore(Kind.SEMAPHORE));
            case 3 -> List.of(semaphore(Kind.FAIR_SEMAPHORE));
            default -> List.of(rw(Kind.READ), rw(Kind.WRITE));
        };
    }

    private List<LockSpec> severalNames() {
        Kind kind = chance.onceIn(2) ? Kind.NAMES : Kind.MULTI;
        return List.of(new LockSpec(kind, List.of("a", "b"), 0), lock(Kind.PLAIN, "a"));
    }

    private static LockSpec lock(Kind kind, String name) {
        return new LockSpec(kind, List.of(name), 0);
    }

    private static LockSpec rw(Kind kind) {
        return lock(kind, "r");
    }

    private LockSpec semaphore(Kind kind) {
        return new LockSpec(kind, List.of("s"), 1 + chance.below(3));
    }
}
