package dev.holdfast.lock.simulation;

import java.util.concurrent.TimeUnit;

/** The network between one process and one server, in both directions, with its faults. */
final class Network {

    private static final long SHORTEST = TimeUnit.MICROSECONDS.toNanos(40);
    private static final long USUAL = TimeUnit.MICROSECONDS.toNanos(400);
    private static final long SLOW = TimeUnit.MILLISECONDS.toNanos(30);
    private static final int SLOW_ONCE_IN = 200;

    final SimulatedProcess process;
    final SimulatedServer server;
    final Chance chance;
    /** Whether the two sides cannot reach each other: no connection can be opened, and open connections are silent. */
    boolean split;
    /** A delay that is added in each direction. */
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
