package dev.holdfast.lock.simulation;

import dev.holdfast.lock.simulation.LockSpec.Kind;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Who gets a lock next: a fair lock goes to the caller that arrived first, a plain one to each waiting client in turn. Only among clients to whom nothing
 * has happened, and that a release can grant a lock to.
 */
final class OrderChecks {

    /** By then, the first request of a caller has reached Redis and has been answered. */
    private static final long ARRIVED = TimeUnit.MILLISECONDS.toNanos(200);

    /** A lock is handed over for 20 ms. A grant that nobody had is made to fit by a request. */
    private static final long LONGEST_TURN = TimeUnit.MILLISECONDS.toNanos(100);

    /** The message of a grant, a request and its answer, each as late as a calm network brings it, and what drift may take of a lease. */
    private static final long SLOW_TURN = TimeUnit.MILLISECONDS.toNanos(110);

    /** What a release grants at most. */
    private static final long FIRST_LEASE = TimeUnit.SECONDS.toNanos(3);

    /** The turn that was under way as a client began to wait, and that of a place ahead of it. */
    private static final int MOST_TURNS = 2;

    /** All tokens of one grant by Redis, which a client hands over between its callers. */
    private static final int TOKENS_OF_A_GRANT = 1024;

    private final World world;
    private final Checks checks;
    private final boolean hasOrder;
    /** For each name, who had how many turns while another client waited. */
    private final Map<String, Map<Instance, Map<Instance, Integer>>> turns = new HashMap<>();

    private final Map<String, Long> lastDrawn = new HashMap<>();
    private final Map<String, Long> turnSince = new HashMap<>();
    /** When a client's last turn with a name ended, and the client asked again for those who wait there. */
    private final Map<Instance, Map<String, Long>> lastEnd = new HashMap<>();

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
            long drawn = hold.lease.fencingToken() / TOKENS_OF_A_GRANT;
            long since = turnSince.getOrDefault(name, world.now());
            if (!Long.valueOf(drawn).equals(lastDrawn.put(name, drawn))) {
                turnSince.put(name, world.now());
                countTurn(name, hold);
            } else if (world.now() - since > LONGEST_TURN && Trouble.ranSince(hold.process, since)) {
                checks.fail("a turn has an end", hold.lock, hold.instance.name() + " hands it over still");
            }
        }
    }

    void ended(Hold hold) {
        hold.lock
                .names()
                .forEach(name -> lastEnd.computeIfAbsent(hold.instance, any -> new HashMap<>())
                        .put(name, world.now()));
    }

    /** Whether a caller waits with a place that it, or its client, has had for a while. */
    private boolean waitsInOrder(Wait wait, String name) {
        long ended = lastEnd.getOrDefault(wait.instance, Map.of()).getOrDefault(name, wait.since);
        long entered = wait.lock.kind() == Kind.FAIR ? wait.since : Math.max(wait.since, ended);
        return wait.lock.names().equals(List.of(name))
                && wait.waitNanos > 0
                && !mayLoseTurn(wait, name)
                && world.now() - entered > ARRIVED
                && world.now() - wait.since < wait.waitNanos
                && checks.trouble.isCalmAndHears(wait.instance)
                && checks.trouble.isCalmSince(wait.instance, wait.since);
    }

    /**
     * A client gives a turn back that is much longer than the lease of the waiter that is first by then, and one that hears no messages, or whose
     * lease is shorter than a message and a round trip, may ask only after the lease. A fair lock has a place with its own lease for each waiter.
     */
    private boolean mayLoseTurn(Wait wait, String name) {
        if (wait.lock.kind() == Kind.FAIR) {
            return isShort(wait) && (wait.leaseNanos < SLOW_TURN || !wait.instance.subscribes());
        }
        return checks.waits.stream()
                .anyMatch(other -> other.instance == wait.instance
                        && isShort(other)
                        && other.lock.names().contains(name));
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
