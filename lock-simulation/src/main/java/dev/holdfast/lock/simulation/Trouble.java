package dev.holdfast.lock.simulation;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** What has gone wrong lately, and so what is not promised for a while. */
final class Trouble {

    /** What a fault may still change after its end: a command that is executed late, a first lease, a place's lifetime. */
    private static final long LASTS = TimeUnit.SECONDS.toNanos(9);

    private final World world;
    private final List<SimulatedServer> servers;
    private final List<Instance> instances;
    /** When something last went wrong with a server. */
    private long serverAt = Long.MIN_VALUE / 2;

    Trouble(World world, List<SimulatedServer> servers, List<Instance> instances) {
        this.world = world;
        this.servers = servers;
        this.instances = instances;
    }

    /** Something is wrong with a server until then. */
    void ofServerUntil(long moment) {
        serverAt = Math.max(serverAt, moment);
    }

    /** Whether nothing has been wrong with a client since, or shortly before. */
    boolean isCalmSince(Instance instance, long since) {
        return since - instance.troubledAt > LASTS && since - instance.process.resumedAt > LASTS;
    }

    long elapsedSince(long moment) {
        return world.now() - moment;
    }

    boolean isCalm(Instance instance) {
        return instance.isUp
                && !instance.isClosing
                && !instance.process.isPaused()
                && isCalmSince(instance, world.now());
    }

    boolean areServersCalm() {
        return world.now() - serverAt > LASTS && areServersThere();
    }

    private boolean areServersThere() {
        for (SimulatedServer server : servers) {
            if (server.away || server.isPaused()) {
                return false;
            }
        }
        return true;
    }

    /** Whether it is calm and hears messages, if it may. A connection may stay silent for long without being noticed. */
    boolean isCalmAndHears(Instance instance) {
        return isCalm(instance)
                && instance.gateways.stream()
                        .noneMatch(gateway -> gateway.commands.halfOpen || gateway.messages.halfOpen);
    }

    boolean areClientsCalm() {
        return instances.stream().allMatch(instance -> isCalmAndHears(instance) && instance.subscribes());
    }

    /** Whether all is well between a client and the servers, and was so during so long. */
    boolean isWell(Instance instance, long forNanos) {
        return world.now() - Math.max(instance.troubledAt, serverAt) > LASTS + forNanos;
    }

    /** For how long all has been well between a client and the servers, at most since then. */
    long calmFor(Instance instance, long since) {
        long troubled = Math.max(Math.max(instance.troubledAt, serverAt), instance.process.resumedAt);
        return instance.process.isPaused() || !areServersThere() ? 0 : world.now() - Math.max(since, troubled);
    }

    /** The request of a process that has ended may be granted after its end, for a whole lease. */
    boolean hasSomeClientEnded() {
        return instances.stream().anyMatch(Instance::hasEnded);
    }

    boolean isReplicated() {
        return instances.stream().anyMatch(instance -> instance.minReplicas() > 0);
    }

    /** Whether the process ran all the time since. */
    static boolean ranSince(SimulatedProcess process, long since) {
        return !process.dead && !process.isPaused() && process.resumedAt < since && process.pausedAt < since;
    }
}
