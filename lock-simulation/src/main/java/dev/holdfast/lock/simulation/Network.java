package dev.holdfast.lock.simulation;

import java.util.concurrent.TimeUnit;

/** The way between one process and one server, in both directions, and what is wrong with it. */
final class Network {

    private static final long SHORTEST = TimeUnit.MICROSECONDS.toNanos(40);
    private static final long USUAL = TimeUnit.MICROSECONDS.toNanos(400);
    private static final long SLOW = TimeUnit.MILLISECONDS.toNanos(30);
    private static final int SLOW_ONCE_IN = 200;

    final SimulatedProcess process;
    final SimulatedServer server;
    final Chance chance;
    /** Nothing can connect, and what is connected is silent. */
    boolean split;
    /** Added to each way. */
    long extraDelay;

    Network(SimulatedProcess process, SimulatedServer server) {
        this.process = process;
        this.server = server;
        this.chance = process.world.chance(process.name + " to " + server.name);
    }

    World world() {
        return process.world;
    }

    long delay() {
        long usual = chance.between(SHORTEST, USUAL) + extraDelay;
        return chance.onceIn(SLOW_ONCE_IN) ? usual + chance.between(0, SLOW) : usual;
    }

    boolean isReachable() {
        return !split && !server.away && !server.isPaused();
    }
}
