package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.connection.ConnectionSettings;
import java.util.concurrent.TimeUnit;

/** One connection of a client. A connection that has ended is replaced. */
abstract class Link implements Line {

    private static final long LATEST = TimeUnit.SECONDS.toNanos(4);

    final Network network;
    /** The server to which the latest connection leads. A former master may serve on beside the one that new connections reach. */
    SimulatedServer server;

    final ConnectionSettings settings;
    boolean open;
    boolean everOpen;
    /** The time at which the connection was last opened. */
    long openSince;

    boolean closed;
    /** Whether data is lost in both directions, without either side noticing. */
    boolean halfOpen;
    /** The time before which nothing arrives, because a lost packet must be sent again. */
    long stalledUntil;
    /** The number of the connection. Increases with each new connection. */
    int number;

    private long lastArrival;
    private long lastReply;
    private boolean connecting;

    Link(Network network, ConnectionSettings settings) {
        this.network = network;
        this.server = network.server;
        this.settings = settings;
    }

    World world() {
        return network.world();
    }

    /** Begins to connect, and retries until it succeeds. */
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
            server = network.server;
            lastArrival = 0;
            lastReply = 0;
            open = true;
            openSince = world().now();
            halfOpen = false;
            everOpen = true;
            opened();
        });
    }

    /** Returns the time at which data sent now arrives. On one connection, data arrives in order. */
    long arrival() {
        lastArrival = Math.max(lastArrival + 1, Math.max(stalledUntil, world().now()) + network.delay());
        return lastArrival;
    }

    long replyArrival() {
        lastReply = Math.max(lastReply + 1, Math.max(stalledUntil, world().now()) + network.delay());
        return lastReply;
    }

    /** Returns the time at which the server executes a command that was in transit when its connection ended. */
    long lateArrival() {
        return world().now() + network.chance.between(0, network.chance.onceIn(4) ? LATEST : LATEST / 100);
    }

    boolean isDeaf() {
        return halfOpen || network.split;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public long openSince() {
        return openSince;
    }

    @Override
    public boolean isHalfOpen() {
        return halfOpen;
    }

    @Override
    public void stayWith(SimulatedServer former) {
        server = former;
    }

    @Override
    public boolean isWith(SimulatedServer one) {
        return open && server == one;
    }

    @Override
    public void becomeHalfOpen() {
        halfOpen |= open;
    }

    @Override
    public void stallUntil(long moment) {
        stalledUntil = moment;
    }

    @Override
    public boolean isStalled() {
        return stalledUntil > world().now();
    }

    @Override
    public void cut() {
        if (open) {
            open = false;
            ended();
            connect(settings.reconnectDelay().toNanos());
        }
    }

    void attemptFailed() {}

    /** Called when the connection is ready. */
    abstract void opened();

    /** Called when the connection cannot be used any more, or when another connection replaces it. */
    abstract void ended();
}
