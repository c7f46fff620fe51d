package dev.holdfast.lock.simulation;

import dev.holdfast.lock.simulation.LockSpec.Kind;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Checks in rounds that a free lock goes to a waiting caller. */
final class QueueChecks {

    /** The longest time for which a lock may be free beside clients that hear: a poll, and a request. */
    private static final long POLL_LIMIT = TimeUnit.MILLISECONDS.toNanos(1_300);

    /** The longest time for which a plain lock may be free beside others: the time for three silent places ahead, or a poll. */
    private static final long FREE_LIMIT = TimeUnit.MILLISECONDS.toNanos(2_700);

    private static final long ROUND = TimeUnit.MILLISECONDS.toNanos(25);

    /** The time for which one place that was told may exclude the others from a read/write lock. */
    private static final long TURN = TimeUnit.SECONDS.toNanos(1);

    /** The time after which a caller's first request has certainly reached Redis and been answered. */
    private static final long ARRIVED = TimeUnit.MILLISECONDS.toNanos(200);

    /**
     * The limit for fair locks and read/write locks. Their waiters wait for places that were notified but are silent, until a second after these
     * places end.
     */
    private static final long SILENT_LIMIT = TimeUnit.MILLISECONDS.toNanos(6_200);

    /** The time for a release, its message, and some places of callers that have left. */
    private static final long HAND_OVER_LIMIT = TimeUnit.MILLISECONDS.toNanos(300);

    /** The time for the release of a place, the message to the next one, and its request. */
    private static final long SERVED_WITHIN = TimeUnit.MILLISECONDS.toNanos(150);

    /** The number of places that are near the head of a queue. */
    private static final int NEAR = 3;

    private static final long FIRST_LEASE = TimeUnit.SECONDS.toNanos(3);
    private static final long LONGEST_LEASE = TimeUnit.SECONDS.toNanos(32);
    static final List<String> NAMES = List.of("a", "b", "f", "r", "s");

    private final World world;
    private final Plan plan;
    private final SimulatedServer server;
    private final Checks checks;
    private final Trouble trouble;
    private final boolean hasMulti;
    private final Map<String, Long> freeSince = new HashMap<>();
    private final Map<String, Long> unheldSince = new HashMap<>();
    private final Map<String, Long> sharedSince = new HashMap<>();
    /** For each name, the last time at which more callers waited than are near the head. Those behind them ask only every 2.5 s. */
    private final Map<String, Long> crowdedAt = new HashMap<>();

    /**
     * For each name, the last time at which a caller waited for it together with other names. A release notifies such a waiter, and the next waiter
     * asks only after that.
     */
    private final Map<String, Long> togetherAt = new HashMap<>();
    /** The locks with a recent holder that lost its lease. When such a lease ends, there is no release, so only a poll finds the lock free. */
    private final Set<String> lostLast = new HashSet<>();
    /** The time of the last round. */
    private long lookedAt;

    QueueChecks(World world, Plan plan, SimulatedServer server, Checks checks) {
        this.world = world;
        this.plan = plan;
        this.server = server;
        this.checks = checks;
        this.trouble = checks.trouble;
        this.hasMulti = plan.uses(EnumSet.of(Kind.MULTI));
    }

    void look() {
        if (plan.profile() != Plan.Profile.CLOCKS && plan.profile() != Plan.Profile.FAILOVER) {
            NAMES.forEach(this::look);
            lookedAt = world.now();
        }
    }

    private void look(String name) {
        if (checks.waits.stream()
                        .filter(wait -> wait.lock.names().contains(name))
                        .count()
                > NEAR) {
            crowdedAt.put(name, world.now());
        }
        if (checks.waits.stream()
                .anyMatch(wait ->
                        wait.lock.names().size() > 1 && wait.lock.names().contains(name))) {
            togetherAt.put(name, world.now());
        }
        Wait waiter = trouble.areServersCalm() ? waiterFor(name) : null;
        if (waiter == null) {
            freeSince.remove(name);
            unheldSince.remove(name);
            sharedSince.remove(name);
            return;
        }
        lookWhetherShared(name);
        lookWhetherFree(name, waiter);
        lookWhetherHeld(name, waiter);
    }

    /** Returns the most recent waiter among those that could have the lock if it were free. */
    private @Nullable Wait waiterFor(String name) {
        return waiterFor(name, null);
    }

    private @Nullable Wait waiterFor(String name, @Nullable Kind kind) {
        Wait waiter = null;
        for (Wait wait : checks.waits) {
            if (wait.lock.names().equals(List.of(name))
                    && (kind == null || wait.lock.kind() == kind)
                    && !wait.ended
                    && wait.waitNanos > 0
                    && trouble.isCalm(wait.instance)
                    && !wait.process.dead
                    && world.now() - wait.since < wait.waitNanos) {
                waiter = wait;
            }
        }
        return waiter;
    }

    private long since(Map<String, Long> moments, String name, Wait waiter) {
        return Math.max(
                moments.computeIfAbsent(name, any -> world.now()), Math.max(waiter.since, checks.lastGrant(name)));
    }

    private void lookWhetherFree(String name, Wait waiter) {
        if (!(server.look("exists", name) instanceof Long found && found == 0)) {
            freeSince.remove(name);
            return;
        }
        long since = since(freeSince, name, waiter);
        long free = world.now() - since;
        if (free > freeLimit(name, waiter)) {
            checks.fail(
                    "a waiter finds a free lock",
                    name + " is free since " + free / 1_000_000 + " ms, and " + waiter.caller + " waits");
        }
        long departure = checks.lastDeparture(name);
        // A lock that was released became free up to a round before this check saw it. After the end of a lease or of a
        // minimum hold, which nobody announces, it may have been taken then.
        long round = lostLast.contains(name) || isKept(name) ? 0 : ROUND;
        // Who waits for several names has one place, in the queue of one of them. It leaves the others without telling
        // anybody, until a poll.
        boolean isTogether = world.now() - togetherAt.getOrDefault(name, Long.MIN_VALUE / 2) <= HAND_OVER_LIMIT;
        if (departure > since - round
                && !isTogether
                && departure - waiter.since > ARRIVED
                && world.now() - departure > SERVED_WITHIN
                && areAllCalm()) {
            checks.fail(
                    "who leaves the queue of a free lock serves the next", name + ", and " + waiter.caller + " waits");
        }
    }

    private long pollLimit(String name) {
        boolean isCrowded = world.now() - crowdedAt.getOrDefault(name, Long.MIN_VALUE / 2) < FREE_LIMIT;
        return isCrowded ? FREE_LIMIT : POLL_LIMIT;
    }

    /** Returns whether a client waits for its own release, and does not know yet that the lock was released by force. */
    private boolean isUnaware(Instance instance, String name) {
        return checks.holds.stream()
                .anyMatch(hold -> hold.forced
                        && hold.isBelieved()
                        && hold.instance == instance
                        && hold.lock.names().contains(name));
    }

    private boolean areAllCalm() {
        return trouble.areClientsCalm()
                && !trouble.hasSomeClientEnded()
                && plan.profile().isSound();
    }

    /** Returns how long a lock may be free. That depends on what the waiter may have to wait for. */
    private long freeLimit(String name, Wait waiter) {
        if (areAllCalm()) {
            return pollLimit(name);
        }
        if (waiter.lock.kind() == Kind.PLAIN || trouble.areClientsCalm()) {
            return FREE_LIMIT;
        }
        Instance asleep = trouble.onlyOneAsleep();
        boolean hasOnePlace = asleep != null
                && asleep.process.pausedAt > freeSince.getOrDefault(name, world.now()) - SILENT_LIMIT
                && checks.waits.stream()
                                .filter(wait -> wait.instance == asleep
                                        && wait.lock.names().contains(name))
                                .count()
                        <= 1;
        return hasOnePlace && plan.profile().isSound() && !trouble.hasSomeClientEnded()
                ? TURN + POLL_LIMIT
                : SILENT_LIMIT;
    }

    /** Checks that readers enter beside readers if no writer holds the lock or waits for it. */
    private void lookWhetherShared(String name) {
        Wait reader = waiterFor(name, Kind.READ);
        boolean isOthers = reader == null
                || !areAllCalm()
                || lostLast.contains(name)
                || isKept(name)
                || checks.waits.stream().anyMatch(wait -> isWrite(wait.lock, name))
                || checks.holds.stream().anyMatch(hold -> isWrite(hold.lock, name) && mayBeHeld(hold));
        if (reader == null || isOthers) {
            sharedSince.remove(name);
            return;
        }
        long shared = world.now() - Math.max(sharedSince.computeIfAbsent(name, any -> world.now()), reader.since);
        if (shared > HAND_OVER_LIMIT) {
            checks.fail("a reader enters beside readers", name + ": " + reader.caller + " waits, and no writer does");
        }
    }

    /** Returns whether a minimum hold may last, or has ended so lately that only a poll finds it. */
    private boolean isKept(String name) {
        return world.now() - checks.keptUntil.getOrDefault(name, Long.MIN_VALUE / 2) < FREE_LIMIT;
    }

    private static boolean isWrite(LockSpec lock, String name) {
        return lock.kind() == Kind.WRITE && lock.names().contains(name);
    }

    private void lookWhetherHeld(String name, Wait waiter) {
        if (isHeld(name, waiter.lock) || isUnaware(waiter.instance, name)) {
            unheldSince.remove(name);
            return;
        }
        if (!plan.profile().isSound() || trouble.isReplicated()) {
            return;
        }
        long unheld = world.now() - since(unheldSince, name, waiter);
        boolean calm = trouble.areClientsCalm();
        // Nobody tells of the end of a lease that was not released. A waiter learned it with its last answer.
        if (unheld > (lostLast.contains(name) ? pollLimit(name) : HAND_OVER_LIMIT)
                && !isKept(name)
                && calm
                && !hasMulti
                && world.now() - togetherAt.getOrDefault(name, Long.MIN_VALUE / 2) > HAND_OVER_LIMIT
                && !trouble.hasSomeClientEnded()) {
            checks.fail("a release wakes a waiter", unheld(name, unheld, waiter));
        }
        long limit = FREE_LIMIT
                + FIRST_LEASE
                + (calm ? 0 : 4 * FIRST_LEASE)
                + (trouble.hasSomeClientEnded() ? LONGEST_LEASE : 0);
        if (unheld > limit) {
            checks.fail("a lock that nobody holds goes to a waiter", unheld(name, unheld, waiter));
        }
    }

    private static String unheld(String name, long nanos, Wait waiter) {
        return name + " is held by no caller since " + nanos / 1_000_000 + " ms, and " + waiter.caller + " waits";
    }

    /** Returns whether a lock is held, or may still be held in Redis. */
    private boolean mayBeHeld(Hold hold) {
        if (hold.forced) {
            return false;
        }
        boolean lasting = !hold.isSettled() && !hold.process.dead && (hold.isRenewed || hold.longestEnd >= world.now());
        // A lease that was lost by the client's clock lasts a little longer in Redis.
        long end = hold.isSettled() && hold.lossReports == 0 ? 0 : hold.longestEnd;
        return lasting || Math.max(end, hold.minHoldEnd) >= world.now();
    }

    /** Returns whether callers hold the lock, or may still hold it in Redis. For a semaphore, all permits must be held. */
    private boolean isHeld(String name, LockSpec lock) {
        int holders = 0;
        // A short lease may end in Redis, and be forgotten here, between the report of its loss and the next round.
        boolean lost = checks.lastLoss(name) >= lookedAt;
        for (Hold hold : checks.holds) {
            if (hold.lock.names().contains(name)) {
                boolean held = mayBeHeld(hold);
                holders += held ? 1 : 0;
                lost |= held && hold.lossReports > 0;
            }
        }
        if (lost) {
            lostLast.add(name);
        } else if (holders > 0) {
            lostLast.remove(name);
        }
        return holders > 0 && holders >= lock.permits();
    }
}
