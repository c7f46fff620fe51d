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

/** A lock that is free goes to somebody who waits for it. Only time shows it, in rounds. */
final class QueueChecks {

    /** Three silent places in front, or a poll. */
    private static final long FREE_LIMIT = TimeUnit.MILLISECONDS.toNanos(2_700);

    /** Fair and read/write locks wait for places that were told to ask and are silent, until the ends of these places and a second more. */
    private static final long SILENT_LIMIT = TimeUnit.MILLISECONDS.toNanos(6_200);

    /** A release, its message, and some places of callers who have left. */
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
    /** When somebody last waited for a lock together with others. A release tells such a waiter, and the next one asks only then. */
    private final Map<String, Long> togetherAt = new HashMap<>();
    /** The locks whose last holders include one that had lost its lease. The end of a lease is no release, and is found by a poll. */
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

    /** The last that has come, of those who could have the lock if it were free. */
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

    /** Whether callers have it, or may have it still in Redis: of a semaphore, all permits. */
    private boolean isHeld(String name, LockSpec lock) {
        int holders = 0;
        boolean lost = false;
        for (Hold hold : checks.holds) {
            if (hold.lock.names().contains(name)) {
                boolean lasting = !hold.settled && !hold.process.dead;
                // What was lost by the clock lasts a little longer in Redis.
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
