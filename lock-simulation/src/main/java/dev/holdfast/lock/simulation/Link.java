package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.connection.ConnectionSettings;
import java.util.concurrent.TimeUnit;

/** One connection of a client, which is replaced when it has ended. */
abstract class Link {

    private static final long LATEST = TimeUnit.SECONDS.toNanos(4);

    final Network network;
    final ConnectionSettings settings;
    boolean open;
    boolean everOpen;
    /** When it was last opened. */
    long openSince;

    boolean closed;
    /** What is sent arrives nowhere, and neither side knows. */
    boolean halfOpen;
    /** What is sent before that moment arrives after it: a lost packet is sent again. */
    long stalledUntil;
    /** Which connection it is. */
    int number;

    private long lastArrival;
    private long lastReply;
    private boolean connecting;

    Link(Network network, ConnectionSettings settings) {
        this.network = network;
        this.settings = settings;
    }

    World world() {
        return network.world();
    }

    /** Begins to connect, and goes on until it succeeds. */
    void connect(long delay) {
        if (connecting || closed) {
            return;
        }
        connecting = true;
        world().plan(network.process, delay, this::tryToConnect);
    }

    private void tryToConnect() {
        connecting = false;
        if (closed) {
            return;
        }
        if (!network.isReachable()) {
            attemptFailed();
            connect(settings.reconnectDelay().toNanos());
            return;
        }
        connecting = true;
        world().plan(network.process, 3 * network.delay(), () -> {
            connecting = false;
            if (closed) {
                return;
            }
            if (!network.isReachable()) {
                attemptFailed();
                connect(settings.reconnectDelay().toNanos());
                return;
            }
            if (open) {
                ended();
            }
            number++;
            lastArrival = 0;
            lastReply = 0;
            open = true;
            openSince = world().now();
            halfOpen = false;
            everOpen = true;
            opened();
        });
    }

    /** When what is sent now arrives: in order on one connection. */
    long arrival() {
        lastArrival = Math.max(lastArrival + 1, Math.max(stalledUntil, world().now()) + network.delay());
        return lastArrival;
    }

    long replyArrival() {
        lastReply = Math.max(lastReply + 1, Math.max(stalledUntil, world().now()) + network.delay());
        return lastReply;
    }

    /** When a command that is under way as the connection ends is executed after all. */
    long lateArrival() {
        return world().now() + network.chance.between(0, network.chance.onceIn(4) ? LATEST : LATEST / 100);
    }

    boolean isDeaf() {
        return halfOpen || network.split;
    }

    /** The connection ends, and the client learns of it. */
    void cut() {
        if (open) {
            open = false;
            ended();
            connect(settings.reconnectDelay().toNanos());
        }
    }

    void attemptFailed() {}

    /** It can be used now. */
    abstract void opened();

    /** It cannot be used any more; or another one takes its place. */
    abstract void ended();
}
