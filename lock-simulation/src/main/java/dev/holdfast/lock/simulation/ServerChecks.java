package dev.holdfast.lock.simulation;

import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.simulation.LockSpec.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What docs/guarantees.md promises about what is in Redis, and about a free lock with a waiter. */
final class ServerChecks {

    private static final long TROUBLE_LASTS = TimeUnit.SECONDS.toNanos(9);
    /** Three silent places in front, or a poll. */
    private static final long FREE_LIMIT = TimeUnit.MILLISECONDS.toNanos(2_700);

    /** A fair lock waits for a place that was told to ask and is silent, until that place's deadline. */
    private static final long FAIR_FREE_LIMIT = TimeUnit.MILLISECONDS.toNanos(5_200);

    private static final long FIRST_LEASE = TimeUnit.SECONDS.toNanos(3);

    private static final long LONGEST_LEASE = TimeUnit.SECONDS.toNanos(32);

    private final World world;
    private final Plan plan;
    private final List<SimulatedServer> servers;
    private final List<Instance> instances;
    private final Checks checks;
    private final Map<String, Long> freeSince = new HashMap<>();
    private final Map<String, Long> unheldSince = new HashMap<>();

    ServerChecks(World world, Plan plan, List<SimulatedServer> servers, List<Instance> instances, Checks checks) {
        this.world = world;
        this.plan = plan;
        this.servers = servers;
        this.instances = instances;
        this.checks = checks;
    }

    private boolean isCalm(Instance instance) {
        return instance.isUp
                && !instance.isClosing
                && !instance.process.isPaused()
                && world.now() - instance.troubledAt > TROUBLE_LASTS
                && world.now() - instance.process.resumedAt > TROUBLE_LASTS;
    }

    private boolean areServersCalm() {
        return world.now() - checks.serverTroubledAt > TROUBLE_LASTS
                && servers.stream().noneMatch(server -> server.away || server.isPaused());
    }

    /** Called in rounds. */
    void look() {
        for (SimulatedServer server : servers) {
            for (String key : server.keys()) {
                if (!key.startsWith("holdfast:token") && server.look("pttl", key) instanceof Long left && left == -1) {
                    checks.fail("every key of a lock has a time to live", key);
                }
            }
        }
        if (servers.size() == 1) {
            for (String name : List.of("a", "b", "f", "r", "s")) {
                lookForWaiters(name);
            }
        }
    }

    private void lookForWaiters(String name) {
        boolean calm = areServersCalm() && plan.profile() != Plan.Profile.CLOCKS;
        Wait waiter = null;
        for (Wait wait : checks.waits) {
            boolean whole = wait.lock.names().size() == 1
                    && wait.lock.kind() != Kind.FAIR_SEMAPHORE
                    && wait.lock.kind() != Kind.SEMAPHORE;
            if (wait.lock.names().contains(name)
                    && whole
                    && !wait.ended
                    && wait.waitNanos > 0
                    && isCalm(wait.instance)
                    && !wait.process.dead
                    && world.now() - wait.since < wait.waitNanos) {
                waiter = wait;
            }
        }
        if (!calm || waiter == null) {
            freeSince.remove(name);
            unheldSince.remove(name);
            return;
        }
        boolean someSilent = instances.stream().anyMatch(instance -> !isCalm(instance));
        boolean free = servers.get(0).look("exists", name) instanceof Long found && found == 0;
        if (free) {
            long since = Math.max(
                    freeSince.computeIfAbsent(name, any -> world.now()),
                    Math.max(waiter.since, checks.lastGrant(name)));
            if (world.now() - since > (someSilent && name.equals("f") ? FAIR_FREE_LIMIT : FREE_LIMIT)) {
                checks.fail(
                        "a waiter finds a free lock",
                        name + " is free since " + (world.now() - since) / 1_000_000 + " ms, and " + waiter.caller
                                + " waits");
            }
        } else {
            freeSince.remove(name);
        }
        long heldUntil = Long.MIN_VALUE;
        for (Hold hold : checks.holds) {
            if (hold.lock.names().contains(name)) {
                boolean lasting = !hold.settled && !hold.process.dead;
                heldUntil = Math.max(
                        heldUntil,
                        lasting ? world.now() : Math.max(hold.settled ? 0 : hold.longestEnd, hold.minHoldEnd));
            }
        }
        if (heldUntil >= world.now()) {
            unheldSince.remove(name);
            return;
        }
        long since = Math.max(
                unheldSince.computeIfAbsent(name, any -> world.now()), Math.max(waiter.since, checks.lastGrant(name)));
        // The request of a process that has ended may be granted after its end, for a whole lease.
        boolean someEnded = instances.stream().anyMatch(Instance::hasEnded);
        long limit = FREE_LIMIT + FIRST_LEASE + (someSilent ? 4 * FIRST_LEASE : 0) + (someEnded ? LONGEST_LEASE : 0);
        if (world.now() - since > limit
                && plan.profile().isSound()
                && instances.stream().allMatch(instance -> instance.minReplicas() == 0)) {
            checks.fail(
                    "a lock that nobody holds goes to a waiter",
                    name + " is held by no caller since " + (world.now() - since) / 1_000_000 + " ms, and "
                            + waiter.caller + " waits");
        }
    }

    /** An instance has closed. */
    void closed(Instance instance, long since) {
        for (RedisLockClient client : instance.clients) {
            if (!client.heldLocks().isEmpty() || !client.waitingLocks().isEmpty()) {
                checks.fail("a closed client holds nothing and waits for nothing", instance.name());
            }
        }
        for (SimulatedTimer timer : instance.process.timers) {
            if (!timer.isShutdown() || timer.pending() > 0) {
                checks.fail("a closed client has no timer", instance.name());
            }
        }
        boolean calm = areServersCalm()
                && since - instance.troubledAt > TROUBLE_LASTS
                && since - instance.process.resumedAt > TROUBLE_LASTS
                && instance.minReplicas() == 0;
        if (calm && plan.profile().isSound()) {
            for (SimulatedServer server : servers) {
                server.keys().forEach(key -> lookForOwner(instance, server, key));
            }
        }
    }

    private void lookForOwner(Instance instance, SimulatedServer server, String key) {
        if (key.startsWith("holdfast:")) {
            return;
        }
        boolean keeps = checks.holds.stream()
                .anyMatch(hold -> hold.process == instance.process && hold.minHoldEnd > world.now());
        try {
            if (!keeps && server.look("hgetall", key) instanceof List<?> fields) {
                for (String id : instance.process.ids) {
                    if (fields.stream().anyMatch(field -> String.valueOf(field).startsWith(id))) {
                        checks.fail(
                                "a closed client leaves nothing in Redis",
                                instance.name() + " has left " + key + " " + fields);
                    }
                }
            }
        } catch (RuntimeException otherType) {
            // A list or a sorted set: places end by themselves.
        }
    }

    /** After the end of everything, and the longest lease. */
    void end() {
        for (SimulatedServer server : servers) {
            for (String key : server.keys()) {
                // Those of queues live for some minutes.
                if (!key.startsWith("holdfast:") && !key.startsWith("redisson_lock_")) {
                    checks.fail("nothing is left in Redis", key + " with " + server.look("pttl", key) + " ms left");
                }
            }
        }
        checks.waits.stream()
                .filter(wait -> !wait.process.dead && !wait.ended)
                .findFirst()
                .ifPresent(wait -> checks.fail("every call is answered", wait.lock, wait.caller));
        checks.holds.stream()
                .filter(hold -> !hold.process.dead && hold.releaseAsked && !hold.settled)
                .findFirst()
                .ifPresent(hold -> checks.fail("every release is answered", hold.lock, hold.caller));
    }
}
