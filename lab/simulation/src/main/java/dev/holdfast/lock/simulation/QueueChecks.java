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

    /** The longest time for which a lock may be free: the time for three silent places ahead, or a poll. */
    private static final long FREE_LIMIT = TimeUnit.MILLISECONDS.toNanos(2_700);

    /**
     * The limit for fair locks and read/write locks. Their waiters wait for places that were notified but are silent, until a second after these
     * places end.
     */
    private static final long SILENT_LIMIT = TimeUnit.MILLISECONDS.toNanos(6_200);

    /** The time for a release, its message, and some places of callers that have left. */
    private static final long HAND_OVER_LIMIT = TimeUnit.MILLISECONDS.toNanos(300);

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
    /**
     * For each name, the last time at which a caller waited for it together with other names. A release notifies such a waiter, and the next waiter
     * asks only after that.
     */
    private final Map<String, Long> togetherAt = new HashMap<>();
    /** The locks with a recent holder that lost its lease. When such a lease ends, there is no release, so only a poll finds the lock free. */
    private final Set<String> lostLast = new HashSet<>();

    QueueChecks(World world, Plan plan, SimulatedServer server, Checks checks) {
        this.world = world;
        this.plan = plan;
        this.server = server;
        this.checks = checks;
        this.trouble = checks.trouble;
        this.hasMulti = plan.uses(EnumSet.of(Kind.MULTI));
    }

    void look() {
        if (plan.profile() != Plan.Profile.CLOCKS) {
            NAMES.forEach(this::look);
        }
    }

    private void look(String name) {
        if (checks.waits.stream()
                .anyMatch(wait ->
                        wait.lock.kind() == Kind.NAMES && wait.lock.names().contains(name))) {
            togetherAt.put(name, world.now());
        }
        Wait waiter = trouble.areServersCalm() ? waiterFor(name) : null;
        if (waiter == null) {
            freeSince.remove(name);
            unheldSince.remove(name);
            return;
        }
        lookWhetherFree(name, waiter);
        lookWhetherHeld(name, waiter);
    }

    /** Returns the most recent waiter among those that could have the lock if it were free. */
    private @Nullable Wait waiterFor(String name) {
        Wait waiter = null;
        for (Wait wait : checks.waits) {
            if (wait.lock.names().equals(List.of(name))
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
        long free = world.now() - since(freeSince, name, waiter);
        boolean waitsForSilent = waiter.lock.kind() != Kind.PLAIN && !trouble.areClientsCalm();
        if (free > (waitsForSilent ? SILENT_LIMIT : FREE_LIMIT)) {
            checks.fail(
                    "a waiter finds a free lock",
                    name + " is free since " + free / 1_000_000 + " ms, and " + waiter.caller + " waits");
        }
    }

    private void lookWhetherHeld(String name, Wait waiter) {
        if (isHeld(name, waiter.lock)) {
            unheldSince.remove(name);
            return;
        }
        if (!plan.profile().isSound() || trouble.isReplicated()) {
            return;
        }
        long unheld = world.now() - since(unheldSince, name, waiter);
        boolean calm = trouble.areClientsCalm();
        boolean kept = world.now() - checks.keptUntil.getOrDefault(name, Long.MIN_VALUE / 2) < FREE_LIMIT;
        if (unheld > HAND_OVER_LIMIT
                && !kept
                && !lostLast.contains(name)
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
        if (unheld > limit && waiter.lock.permits() == 0) {
            checks.fail("a lock that nobody holds goes to a waiter", unheld(name, unheld, waiter));
        }
    }

    private static String unheld(String name, long nanos, Wait waiter) {
        return name + " is held by no caller since " + nanos / 1_000_000 + " ms, and " + waiter.caller + " waits";
    }

    /** Returns whether callers hold the lock, or may still hold it in Redis. For a semaphore, all permits must be held. */
    private boolean isHeld(String name, LockSpec lock) {
        int holders = 0;
        boolean lost = false;
        for (Hold hold : checks.holds) {
            if (hold.lock.names().contains(name)) {
                boolean lasting = !hold.settled && !hold.process.dead;
                // A lease that was lost by the client's clock lasts a little longer in Redis.
                long end = hold.settled && hold.lossReports == 0 ? 0 : hold.longestEnd;
                boolean held = lasting || Math.max(end, hold.minHoldEnd) >= world.now();
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
