package dev.holdfast.lock.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The faults of the recent past. Some promises do not apply for a while after a fault. */
final class Trouble {

    /** The time for which a fault may still have effects after its end: a command that is executed late, a first lease, a place's lifetime. */
    private static final long LASTS = TimeUnit.SECONDS.toNanos(9);

    /** The time after an outage in which a renewal has failed, has been repeated, and is confirmed. */
    private static final long RECOVERED = TimeUnit.MILLISECONDS.toNanos(3_500);

    private final World world;
    private final List<SimulatedServer> servers;
    private final List<Instance> instances;
    /** The last time of a fault in a server. While a fault lasts, this is the time of its end. */
    private long serverAt = Long.MIN_VALUE / 2;

    /** The masters that serve on after another server has taken their place. */
    private final List<SimulatedServer> formerMasters = new ArrayList<>();

    Trouble(World world, List<SimulatedServer> servers, List<Instance> instances) {
        this.world = world;
        this.servers = servers;
        this.instances = instances;
    }

    /** Looks in rounds at which instances something is wrong, so that {@link #lastWell} knows it. */
    void look() {
        for (Instance instance : instances) {
            if (!instance.isUp || isUnwell(instance)) {
                struck(instance);
            }
        }
    }

    /** Records that something is wrong with an instance at present. */
    void struck(Instance instance) {
        if (world.now() - instance.unwellUntil > RECOVERED) {
            instance.unwellSince = world.now();
        }
        instance.unwellUntil = world.now();
    }

    void servesOn(SimulatedServer formerMaster) {
        formerMasters.add(formerMaster);
    }

    /** Returns whether a former master grants locks to the clients that have stayed with it. */
    boolean isFormerMasterServing() {
        return formerMasters.stream()
                .anyMatch(server -> !server.away && server.refusal == SimulatedServer.Refusal.NONE);
    }

    private boolean isUnwell(Instance instance) {
        return instance.process.isPaused()
                || instance.gateways.stream()
                        .anyMatch(gateway -> formerMasters.stream()
                                .anyMatch(server -> server.refusal != SimulatedServer.Refusal.NONE
                                        && gateway.commands().isWith(server)))
                || instance.networks.stream().anyMatch(network -> !network.isReachable() || network.extraDelay > 0)
                || servers.stream().anyMatch(server -> server.refusal != SimulatedServer.Refusal.NONE)
                || instance.gateways.stream().anyMatch(gateway -> isUnwell(gateway.commands()));
    }

    private static boolean isUnwell(WireLine line) {
        return !line.isOpen() || line.isHalfOpen() || line.isStalled();
    }

    /** Returns the last time at which an instance, its connections and the servers were well, and had been so for some time. */
    long lastWell(Instance instance) {
        return world.now() - instance.unwellUntil > RECOVERED ? world.now() : instance.unwellSince;
    }

    /** Returns whether the last time at which a server lost data was between two moments. */
    boolean hasLostBetween(long from, long to) {
        return servers.stream().anyMatch(server -> server.lostAt >= from && server.lostAt < to);
    }

    /** Records that a server has a fault until the given time. */
    void ofServerUntil(long moment) {
        serverAt = Math.max(serverAt, moment);
    }

    /** Returns whether the client had no fault since the given time, or shortly before it. */
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

    /**
     * Returns whether the client is calm and none of its connections is half open. Such a connection may stay silent for a long time without being
     * noticed.
     */
    boolean isCalmAndHears(Instance instance) {
        return isCalm(instance)
                && instance.gateways.stream()
                        .noneMatch(gateway -> gateway.commands().isHalfOpen()
                                || gateway.messages().isHalfOpen());
    }

    /** Returns the only instance that is not calm and stands still; null if there is none, or if others are not calm either. */
    @Nullable
    Instance onlyOneAsleep() {
        List<Instance> troubled = instances.stream()
                .filter(instance -> !isCalmAndHears(instance) || !instance.subscribes())
                .toList();
        return troubled.size() == 1 && troubled.get(0).process.isPaused() ? troubled.get(0) : null;
    }

    boolean areClientsCalm() {
        return instances.stream().allMatch(instance -> isCalmAndHears(instance) && instance.subscribes());
    }

    /** Returns whether there was no fault between a client and the servers for the given time. */
    boolean isWell(Instance instance, long forNanos) {
        return world.now() - Math.max(instance.troubledAt, serverAt) > LASTS + forNanos;
    }

    /** Returns how long there has been no fault between a client and the servers, at most since the given time. */
    long calmFor(Instance instance, long since) {
        long troubled = Math.max(Math.max(instance.troubledAt, serverAt), instance.process.resumedAt);
        return instance.process.isPaused() || !areServersThere() ? 0 : world.now() - Math.max(since, troubled);
    }

    /** Returns whether a client's process has ended. Its request may be granted after that, for a whole lease. */
    boolean hasSomeClientEnded() {
        return instances.stream().anyMatch(Instance::hasEnded);
    }

    boolean isReplicated() {
        return instances.stream().anyMatch(instance -> instance.minReplicas() > 0);
    }

    /** Returns whether the process has run without a pause since the given time. */
    static boolean ranSince(SimulatedProcess process, long since) {
        return !process.dead && !process.isPaused() && process.resumedAt < since && process.pausedAt < since;
    }
}
