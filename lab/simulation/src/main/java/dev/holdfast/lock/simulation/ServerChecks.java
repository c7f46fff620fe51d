package dev.holdfast.lock.simulation;

import dev.holdfast.lock.redis.RedisLockClient;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Checks what is left: in Redis at any time, in a client that was closed, and at the end of a run. */
final class ServerChecks {

    /** What the keys of a slot begin with, which have no end. */
    private static final List<String> OF_SLOTS = List.of("holdfast:token", "holdfast:open:", "holdfast:reign");

    private static final long SOON = TimeUnit.MILLISECONDS.toNanos(10);

    private final Plan plan;
    private final Map<String, Integer> longestMillis = new HashMap<>();
    /** How often each server had lost something when it last granted locks to clients with a grace. */
    private final Map<SimulatedServer, Integer> openAfter = new HashMap<>();

    private final List<SimulatedServer> servers;
    private final Checks checks;

    ServerChecks(Plan plan, List<SimulatedServer> servers, Checks checks) {
        this.plan = plan;
        this.servers = servers;
        this.checks = checks;
    }

    /** Runs the checks. Called in rounds. */
    void look() {
        for (SimulatedServer server : servers) {
            for (String key : server.keys()) {
                if (OF_SLOTS.stream().noneMatch(key::startsWith)
                        && server.look("pttl", key) instanceof Long left
                        && left == -1) {
                    checks.fail("every key of a lock has a time to live", key);
                } else if (QueueChecks.NAMES.contains(key)) {
                    lookWhetherTooLong(server, key);
                }
            }
            lookWhetherOpen(server);
            lookWhetherAgreed(server);
        }
    }

    private void lookWhetherAgreed(SimulatedServer server) {
        if (plan.profile() == Plan.Profile.CLOCKS) {
            return;
        }
        String broken = server.brokenContract(QueueChecks.NAMES);
        if (broken != null) {
            checks.fail(WireContract.CHECK, broken);
        }
    }

    private void lookWhetherTooLong(SimulatedServer server, String name) {
        long longest = longestMillis.computeIfAbsent(name, plan::longestMillis) + server.setBackMillis;
        if (server.look("pttl", name) instanceof Long left && left > longest) {
            checks.fail("a lock ends with its lease", name + " is kept for " + left + " ms");
        }
    }

    private void lookWhetherOpen(SimulatedServer server) {
        if (plan.profile() != Plan.Profile.FAILOVER) {
            return;
        }
        if (server.isOpen()) {
            Integer before = openAfter.put(server, server.losses);
            if (before != null && before != server.losses) {
                checks.records.opened(server, TimeUnit.MILLISECONDS.toNanos(plan.graceMillis()));
            }
        } else if (Integer.valueOf(server.losses).equals(openAfter.get(server))) {
            checks.fail("a slot that has opened stays open", server.name);
        }
    }

    /** Checks an instance that was closed. */
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
        for (WireGateway gateway : instance.gateways) {
            if (gateway.isListening()) {
                checks.fail("a closed client has no subscription", instance.name());
            }
        }
        boolean answered = checks.trouble.isCalmSince(instance, since) || isAnswered(instance, since);
        if (answered
                && checks.trouble.areServersCalm()
                && instance.minReplicas() == 0
                && plan.profile().isSound()) {
            for (SimulatedServer server : servers) {
                server.keys().forEach(key -> lookForOwner(instance, server, key, checks));
            }
        }
    }

    /**
     * Returns whether Redis answered all requests before the client gave up, and executed no command of an ended connection since the close began.
     */
    private boolean isAnswered(Instance instance, long since) {
        return checks.trouble.elapsedSince(since) < instance.commandTimeoutNanos() - SOON
                && instance.gateways.stream().allMatch(gateway -> gateway.executedLateAt < since);
    }

    private static void lookForOwner(Instance instance, SimulatedServer server, String key, Checks checks) {
        if (key.startsWith("holdfast:") || key.startsWith("redisson_lock_") || key.endsWith(":rwlock_timeout:1")) {
            // Places end by themselves. The hold of a reader or writer ends with its field.
            return;
        }
        OwnerChecks.owners(server, key)
                .filter(owner -> instance.process.ids.stream().anyMatch(id -> owner.startsWith(id + ":")))
                .findFirst()
                .ifPresent(owner -> checks.fail(
                        "a closed client leaves nothing in Redis",
                        instance.name() + " has left " + key + " with " + owner));
    }

    /** Runs the checks at the very end, after the longest lease. */
    void end() {
        for (SimulatedServer server : servers) {
            for (String key : server.keys()) {
                // The keys of queues live for some minutes.
                boolean isLock = !key.startsWith("holdfast:") && !key.startsWith("redisson_lock_");
                if (isLock
                        && server.look("pttl", key) instanceof Long left
                        && (left < 0 || left > server.setBackMillis)) {
                    checks.fail("nothing is left in Redis", key + " with " + left + " ms left");
                }
            }
        }
        checks.waits.stream()
                .filter(wait -> !wait.process.dead && !wait.ended)
                .findFirst()
                .ifPresent(wait -> checks.fail("every call is answered", wait.lock, wait.caller));
        checks.holds.stream()
                .filter(hold -> !hold.process.dead && hold.releaseAsked && !hold.isSettled())
                .findFirst()
                .ifPresent(hold -> checks.fail("every release is answered", hold.lock, hold.caller));
    }
}
