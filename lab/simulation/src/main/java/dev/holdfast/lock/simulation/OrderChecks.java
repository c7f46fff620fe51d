package dev.holdfast.lock.simulation;

import dev.holdfast.lock.simulation.LockSpec.Kind;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Checks which caller gets a lock next. A fair lock goes to the caller that arrived first, and a plain lock to each waiting client in turn. Applies
 * only to clients that had no fault, and only if a release can grant them a lock.
 */
final class OrderChecks {

    /** The time after which a caller's first request has certainly reached Redis and been answered. */
    private static final long ARRIVED = TimeUnit.MILLISECONDS.toNanos(200);

    /** The longest turn of a client. A lock is handed over for 20 ms, and a grant that is too short is prolonged by a request. */
    private static final long LONGEST_TURN = TimeUnit.MILLISECONDS.toNanos(100);

    /**
     * The longest time that a turn needs before a caller has it: the message of a grant, a request and its answer in a calm network, and a clock's
     * drift.
     */
    private static final long SLOW_TURN = TimeUnit.MILLISECONDS.toNanos(110);

    /** The longest lease that a release grants. */
    private static final long FIRST_LEASE = TimeUnit.SECONDS.toNanos(3);

    /** The turns that another client may have first: the turn that was running when a client began to wait, and the turn of a place ahead. */
    private static final int MOST_TURNS = 2;

    private final World world;
    private final Checks checks;
    private final boolean hasOrder;
    /** The number of turns that a client had while another client waited. The keys are the name, the waiting client and the holding client. */
    private final Map<String, Map<Instance, Map<Instance, Integer>>> turns = new HashMap<>();

    private final Map<String, Long> lastDrawn = new HashMap<>();
    private final Map<String, Long> turnSince = new HashMap<>();
    /** For each client and name, the time at which the client's last turn ended. The client then asked again for its remaining waiters. */
    private final Map<Instance, Map<String, Long>> lastEnd = new HashMap<>();
    /** For each client, the names whose place it has had since a caller with a short lease waited. The place keeps that lease. */
    private final Map<Instance, Set<String>> shortPlaces = new HashMap<>();

    OrderChecks(World world, Plan plan, Checks checks) {
        this.world = world;
        this.checks = checks;
        this.hasOrder = plan.profile().isSound() && !plan.uses(EnumSet.of(Kind.NAMES, Kind.MULTI, Kind.QUORUM));
    }

    void granted(Wait answered, Hold hold) {
        if (!hasOrder || !checks.trouble.areServersCalm() || checks.trouble.isReplicated()) {
            return;
        }
        if (hold.lock.kind() == Kind.FAIR) {
            checkArrival(answered, hold);
        } else if (hold.lock.kind() == Kind.PLAIN) {
            String name = hold.lock.names().get(0);
            shortPlaces(hold.instance).remove(name);
            long drawn = TokenChecks.drawn(hold.lease.fencingToken());
            long since = turnSince.getOrDefault(name, world.now());
            if (!Long.valueOf(drawn).equals(lastDrawn.put(name, drawn))) {
                turnSince.put(name, world.now());
                countTurn(name, hold);
            } else if (world.now() - since > LONGEST_TURN && Trouble.ranSince(hold.process, since)) {
                checks.fail("a turn has an end", hold.lock, hold.instance.name() + " hands it over still");
            }
        }
    }

    /** Forgets the turns of others if a client has left the queue, because no caller of it waits any more. The next one gets a new place. */
    void left(Wait wait) {
        if (checks.waits.stream().noneMatch(other -> other.instance == wait.instance && other.isInQueueWith(wait))) {
            wait.lock
                    .names()
                    .forEach(name -> turns.getOrDefault(name, new HashMap<>()).remove(wait.instance));
            shortPlaces(wait.instance).removeAll(wait.lock.names());
        } else if (isShort(wait)) {
            shortPlaces(wait.instance).addAll(wait.lock.names());
        }
    }

    void ended(Hold hold) {
        hold.lock
                .names()
                .forEach(name -> lastEnd.computeIfAbsent(hold.instance, any -> new HashMap<>())
                        .put(name, world.now()));
    }

    /**
     * Returns whether a caller waits with a place that the caller, or its client, has had for some time. A client whose lock was released by force
     * enters the queue only when it learns of it.
     */
    private boolean waitsInOrder(Wait wait, String name) {
        long ended = lastEnd.getOrDefault(wait.instance, Map.of()).getOrDefault(name, wait.since);
        long entered = wait.lock.kind() == Kind.FAIR ? wait.since : Math.max(wait.since, ended);
        return wait.lock.names().equals(List.of(name))
                && wait.waitNanos > 0
                && !wait.mayHaveLostGrant
                && !mayLoseTurn(wait, name)
                && checks.holds.stream().noneMatch(hold -> hold.forced && hold.instance == wait.instance)
                && world.now() - entered > ARRIVED
                && world.now() - wait.since < wait.waitNanos
                && checks.trouble.isCalmAndHears(wait.instance)
                && checks.trouble.isCalmSince(wait.instance, wait.since);
    }

    /**
     * Returns whether a client may lose its turn because of a short lease. A client gives back a turn that is much longer than the lease of its first
     * waiter. A client that receives no messages, or whose lease is shorter than a message and a round trip, may ask only after the lease. In a fair
     * lock, each waiter has a place with its own lease.
     */
    private boolean mayLoseTurn(Wait wait, String name) {
        if (wait.lock.kind() == Kind.FAIR) {
            return isShort(wait) && (wait.leaseNanos < SLOW_TURN || !wait.instance.subscribes());
        }
        return shortPlaces(wait.instance).contains(name)
                || checks.waits.stream()
                        .anyMatch(other -> other.instance == wait.instance
                                && isShort(other)
                                && other.lock.names().contains(name));
    }

    private Set<String> shortPlaces(Instance client) {
        return shortPlaces.computeIfAbsent(client, any -> new HashSet<>());
    }

    private static boolean isShort(Wait wait) {
        return wait.leaseNanos > 0 && wait.leaseNanos < FIRST_LEASE / 2;
    }

    private void checkArrival(Wait answered, Hold hold) {
        for (Wait other : checks.waits) {
            if (waitsInOrder(other, hold.lock.names().get(0)) && answered.since - other.since > ARRIVED) {
                checks.fail(
                        "a fair lock is granted in order of arrival",
                        hold.lock,
                        hold.caller + " gets it, and " + other.caller + " came "
                                + (answered.since - other.since) / 1_000_000 + " ms before it and waits");
            }
        }
    }

    private void countTurn(String name, Hold hold) {
        Map<Instance, Map<Instance, Integer>> waiting = turns.computeIfAbsent(name, any -> new HashMap<>());
        waiting.keySet()
                .removeIf(instance -> instance == hold.instance
                        || checks.waits.stream()
                                .noneMatch(wait -> wait.instance == instance && waitsInOrder(wait, name)));
        for (Wait wait : checks.waits) {
            if (wait.instance != hold.instance && waitsInOrder(wait, name)) {
                waiting.computeIfAbsent(wait.instance, any -> new HashMap<>());
            }
        }
        for (Map.Entry<Instance, Map<Instance, Integer>> other : waiting.entrySet()) {
            if (other.getValue().merge(hold.instance, 1, Integer::sum) > MOST_TURNS) {
                checks.fail(
                        "every client gets its turn",
                        hold.lock,
                        hold.instance.name() + " has its turn more than " + MOST_TURNS + " times, and "
                                + other.getKey().name() + " waits");
            }
        }
    }
}
