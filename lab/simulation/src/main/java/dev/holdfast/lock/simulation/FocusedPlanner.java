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
import java.util.List;

/** Creates a plan in which one situation is frequent. */
final class FocusedPlanner {

    private static final int LONG_WATCHDOG = 30_000;
    private static final int SHORT_WATCHDOG = 1_500;

    private final long seed;
    private final Focus focus;
    private final Chance chance;
    private final LockSpec lock;
    private final int clients;
    private final List<Fault> faults = new ArrayList<>();

    private FocusedPlanner(long seed, Focus focus) {
        this.seed = seed;
        this.focus = focus;
        this.chance = Chance.of(seed, "focused");
        boolean fair = chance.onceIn(3);
        this.lock = focus == Focus.PERMITS
                ? new LockSpec(fair ? Kind.FAIR_SEMAPHORE : Kind.SEMAPHORE, List.of("s"), 2 + chance.below(3))
                : new LockSpec(fair ? Kind.FAIR : Kind.PLAIN, List.of("a"), 0);
        this.clients = 2 + chance.below(2);
    }

    static Plan of(long seed, Focus focus) {
        return focus == Focus.FAILOVERS
                ? FailoverPlanner.of(seed)
                : focus.isScene() ? ScenePlanner.of(seed, focus) : new FocusedPlanner(seed, focus).plan();
    }

    private Plan plan() {
        boolean shortWatchdog = focus == Focus.LATE_RENEWALS || focus == Focus.LOST_KEYS;
        List<Client> settings = new ArrayList<>();
        List<CallerPlan> callers = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            int watchdog = shortWatchdog ? SHORT_WATCHDOG : LONG_WATCHDOG;
            settings.add(new Client((int) chance.between(-200, 200), 1_000, watchdog, 32, 0, true));
            int count = focus == Focus.EXPIRIES || focus == Focus.PERMITS ? 6 : 1 + chance.below(3);
            for (int j = 0; j < count; j++) {
                List<Step> steps = steps(j);
                if (focus == Focus.LONG_PAUSES && i == 1 && j == 0) {
                    steps.add(0, hold(14_500 + chance.below(2_000), 100));
                }
                callers.add(new CallerPlan(i, steps));
            }
        }
        Profile profile = switch (focus) {
            case EXPIRIES, CLOSINGS, PERMITS -> Profile.CALM;
            case LOST_KEYS -> Profile.LOSSY;
            default -> Profile.SOUND;
        };
        addFaults();
        return new Plan(seed, profile, 1, settings, callers, faults, Planner.END_MILLIS);
    }

    private List<Step> steps(int caller) {
        List<Step> steps = new ArrayList<>();
        int count = switch (focus) {
            case LONG_PAUSES, EXPIRIES -> 100;
            case CUTS -> 10;
            default -> 40;
        };
        for (int i = 0; i < count; i++) {
            steps.add(
                    switch (focus) {
                        case EXPIRIES -> caller == 0 ? patient() : hasty();
                        case LATE_ANSWERS ->
                            step(100, chance.onceIn(2) ? 0 : 5_000, 30 + chance.below(300), 20, End.RELEASE);
                        case CLOSINGS, CUT_CLOSINGS -> step(100, upTo(40), 0, 40, End.RELEASE);
                        case CUTS -> step(300, upTo(300), 0, 20, End.RELEASE);
                        case LATE_RENEWALS, LOST_KEYS -> step(100, 20_000, 0, 4_000, End.RELEASE);
                        case LONG_PAUSES -> step(300, 20_000, 0, 300, End.RELEASE);
                        case PERMITS -> hold(500, 1);
                        default -> throw new IllegalStateException(focus.name());
                    });
        }
        return steps;
    }

    private int upTo(int most) {
        return chance.onceIn(2) ? 0 : 1 + chance.below(most);
    }

    /** Returns a step that holds the lock for exactly the given time, after a random time to think. */
    private Step hold(int millis, int thinkMillis) {
        return new Step(
                lock, chance.below(thinkMillis * 1_000), 20_000, 0, false, millis * 1_000, 0, 0, 0, End.RELEASE, 0);
    }

    private Step patient() {
        return step(20, 20_000, 2_000 + chance.below(2_000), 20, chance.onceIn(2) ? End.EXPIRE : End.RELEASE);
    }

    private Step hasty() {
        return step(100, 50 + chance.below(500), 2_000, 20, End.RELEASE);
    }

    /** Returns a step with random times up to the given limits, in milliseconds. */
    private Step step(int thinkMillis, int waitMillis, int leaseMillis, int holdMillis, End end) {
        return new Step(
                lock,
                chance.below(thinkMillis * 1_000),
                waitMillis,
                leaseMillis,
                chance.onceIn(4),
                chance.below(holdMillis * 1_000),
                0,
                0,
                0,
                end,
                0);
    }

    private void addFaults() {
        for (int i = 0; i < 25; i++) {
            // With lost keys, only the first client's connections fail.
            int client = focus == Focus.LOST_KEYS ? 0 : chance.below(clients);
            int at = chance.below(Planner.END_MILLIS);
            switch (focus) {
                case EXPIRIES, PERMITS -> {}
                case LATE_ANSWERS -> add(FaultKind.SLOW, at, client, 2_000, chance.below(300_000), -1);
                case CLOSINGS ->
                    add(
                            FaultKind.CLOSE,
                            at / 4,
                            client,
                            chance.below(100),
                            chance.below(100),
                            chance.below(chance.onceIn(4) ? 2_000 : 80));
                case CUT_CLOSINGS -> {
                    add(FaultKind.CLOSE, at / 4, client, chance.below(100), 0, chance.below(1_000));
                    add(FaultKind.CUT_COMMANDS, at / 4, client, 0, 0, chance.below(1_500));
                }
                case CUTS -> add(FaultKind.CUT_COMMANDS, at / 5, client, 0, 0, chance.below(800));
                case LATE_RENEWALS -> {
                    if (i < 6) {
                        add(FaultKind.SLOW, at, client, 600, 120_000 + chance.below(100_000), -1);
                        add(FaultKind.SPLIT, at + 600, client, 2_500, 0, -1);
                    }
                }
                case LOST_KEYS -> add(FaultKind.EVICT, at, client, 0, chance.below(1 << 20), -1);
                case LONG_PAUSES -> {
                    if (i == 0) {
                        add(FaultKind.PAUSE, 200 + chance.below(2_000), 0, 17_000, 0, -1);
                    }
                }
                default -> throw new IllegalStateException(focus.name());
            }
        }
    }

    private void add(FaultKind kind, long atMillis, int client, int forMillis, int number, int afterCallMicros) {
        faults.add(new Fault(kind, atMillis, client, 0, forMillis, number, afterCallMicros));
    }
}
