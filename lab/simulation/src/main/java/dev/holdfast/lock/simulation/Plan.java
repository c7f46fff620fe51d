package dev.holdfast.lock.simulation;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Everything that a run does. It is decided before the run, so that parts of it can be left out. */
record Plan(
        long seed,
        Profile profile,
        int servers,
        List<Client> clients,
        List<CallerPlan> callers,
        List<Fault> faults,
        long endMillis) {

    /** The faults that may occur. The promises that are checked depend on it. */
    enum Profile {
        /** There are only delays. */
        CALM,
        /** Redis loses nothing, but the network and processes fail. */
        SOUND,
        /** Redis loses data and refuses commands. */
        LOSSY,
        /** The server's clock jumps. */
        CLOCKS,
        /** Redis loses data with a new reign, the network and processes fail, and clients have a grace. */
        FAILOVER;

        boolean isSound() {
            return this == CALM || this == SOUND;
        }

        /** Returns whether no lock has two holders. */
        boolean excludes() {
            return isSound() || this == FAILOVER;
        }
    }

    /** A client and its settings. */
    record Client(
            int driftPpm, int pollMillis, int watchdogMillis, int handOvers, int minReplicas, boolean subscribes) {}

    /** What a caller does with its steps. */
    enum Role {
        /** It acquires leases, as values. */
        LEASES,
        /** It is a thread that enters a lock several times, and reads inside its own write lock. */
        THREAD,
        /** It takes part in the election of a leader. */
        CANDIDATE
    }

    /** A caller's script. */
    record CallerPlan(int client, Role role, List<Step> steps) {

        CallerPlan(int client, List<Step> steps) {
            this(client, Role.LEASES, steps);
        }

        CallerPlan withSteps(List<Step> fewer) {
            return new CallerPlan(client, role, fewer);
        }
    }

    /** What a caller does with its lease in the middle of its hold. All of them but {@link #EXPIRE} release it afterward. */
    enum End {
        RELEASE,
        EXPIRE,
        VERIFY,
        EXTEND,
        MIN_HOLD,
        /** The caller writes into the record beside the lock, and reads it. */
        RECORD
    }

    /**
     * One acquisition.
     *
     * @param waitMillis 0 for an attempt without a wait
     * @param leaseMillis 0 for a renewed lease
     * @param cancelMicros the time after which the caller cancels; 0 if it does not. A negative time counts from the next release by anybody
     * @param changeMillis the length of an extension, of a minimum hold that is set later, or of a nested lease
     */
    record Step(
            LockSpec lock,
            int thinkMicros,
            int waitMillis,
            int leaseMillis,
            boolean throwing,
            int holdMicros,
            int minHoldMillis,
            int maxHoldMillis,
            int cancelMicros,
            End end,
            int changeMillis) {

        /** A renewed lease that is released. The methods below change one thing each. */
        static Step of(LockSpec lock, int thinkMicros, int waitMillis, int holdMicros) {
            return new Step(lock, thinkMicros, waitMillis, 0, false, holdMicros, 0, 0, 0, End.RELEASE, 0);
        }

        Step leased(int millis) {
            return new Step(
                    lock,
                    thinkMicros,
                    waitMillis,
                    millis,
                    throwing,
                    holdMicros,
                    minHoldMillis,
                    maxHoldMillis,
                    cancelMicros,
                    end,
                    changeMillis);
        }

        Step within(int minimumMillis, int maximumMillis) {
            return new Step(
                    lock,
                    thinkMicros,
                    waitMillis,
                    leaseMillis,
                    throwing,
                    holdMicros,
                    minimumMillis,
                    maximumMillis,
                    cancelMicros,
                    end,
                    changeMillis);
        }

        Step canceledAfter(int micros) {
            return new Step(
                    lock,
                    thinkMicros,
                    waitMillis,
                    leaseMillis,
                    throwing,
                    holdMicros,
                    minHoldMillis,
                    maxHoldMillis,
                    micros,
                    end,
                    changeMillis);
        }

        Step ending(End other, int millis) {
            return new Step(
                    lock,
                    thinkMicros,
                    waitMillis,
                    leaseMillis,
                    throwing,
                    holdMicros,
                    minHoldMillis,
                    maxHoldMillis,
                    cancelMicros,
                    other,
                    millis);
        }
    }

    enum FaultKind {
        CUT_COMMANDS,
        CUT_MESSAGES,
        HALF_OPEN,
        DEAF,
        SPLIT,
        SLOW,
        PAUSE,
        DIE,
        CLOSE,
        SERVER_PAUSE,
        SERVER_RESTART,
        REFUSE,
        FORCE,
        LOSE,
        GO_BACK,
        EVICT,
        JUMP_FORWARD,
        JUMP_BACK,
        STALL,
        FORGET_SCRIPTS,
        CUT_AT_COMMAND,
        NO_CONNECTION,
        /** Somebody asks the holder of a lock to stop. */
        STOP,
        /** A replica takes over, and some clients go on with the master before, until it misses its replicas. */
        SERVES_ON;

        boolean needsLoss() {
            return this == LOSE || this == GO_BACK || this == EVICT || this == FORCE;
        }

        /** Returns whether only a simulated wire can have this fault. */
        boolean needsWire() {
            return this == CUT_AT_COMMAND || this == NO_CONNECTION;
        }

        boolean needsClock() {
            return this == JUMP_FORWARD || this == JUMP_BACK;
        }
    }

    /**
     * A fault that lasts for a time.
     *
     * @param afterCallMicros the time between the client's next call and the fault; negative if the fault does not wait for a call
     */
    record Fault(
            FaultKind kind, long atMillis, int target, int server, int forMillis, int number, int afterCallMicros) {

        Fault(FaultKind kind, long atMillis, int target, int server, int forMillis, int number) {
            this(kind, atMillis, target, server, forMillis, number, -1);
        }
    }

    Plan withCallers(List<CallerPlan> fewer) {
        return new Plan(seed, profile, servers, clients, fewer, faults, endMillis);
    }

    Plan withFaults(List<Fault> fewer) {
        return new Plan(seed, profile, servers, clients, callers, fewer, endMillis);
    }

    Plan until(long earlierMillis) {
        return new Plan(seed, profile, servers, clients, callers, faults, earlierMillis);
    }

    /** Returns the clients' grace in ms: with short leases the shortest one or twice that, else twice the longest lease. */
    int graceMillis() {
        if (profile != Profile.FAILOVER) {
            return 0;
        }
        int longest = clients.stream().mapToInt(Client::watchdogMillis).max().orElse(0);
        int shortest = (int) FailoverPlanner.GRACE.toMillis();
        if (longest >= shortest) {
            return 2 * longest;
        }
        return Chance.of(seed, "grace").onceIn(2) ? 2 * shortest : shortest;
    }

    /** Returns the longest time in ms for which Redis may keep a lock of this name. */
    int longestMillis(String name) {
        int longest = 0;
        for (CallerPlan caller : callers) {
            for (Step step : caller.steps) {
                if (step.lock.names().contains(name)) {
                    int lease = Math.max(
                            step.leaseMillis, clients.get(caller.client).watchdogMillis());
                    longest = Math.max(longest, Math.max(Math.max(lease, step.minHoldMillis), step.changeMillis));
                }
            }
        }
        return longest;
    }

    /** Returns the kinds of the locks that callers request. */
    Set<LockSpec.Kind> kinds() {
        return callers.stream()
                .flatMap(caller -> caller.steps.stream())
                .map(step -> step.lock.kind())
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(LockSpec.Kind.class)));
    }

    /** Returns whether callers request a lock of one of these kinds. */
    boolean uses(Set<LockSpec.Kind> kinds) {
        return kinds().stream().anyMatch(kinds::contains);
    }

    int steps() {
        return callers.stream().mapToInt(caller -> caller.steps.size()).sum();
    }

    static <T> List<T> without(List<T> list, int from, int to) {
        List<T> fewer = new ArrayList<>(list.subList(0, from));
        fewer.addAll(list.subList(to, list.size()));
        return fewer;
    }
}
