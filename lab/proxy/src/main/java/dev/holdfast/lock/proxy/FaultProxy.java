package dev.holdfast.lock.proxy;

import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/**
 * A faulty network between a client and a Redis server: a TCP proxy on 127.0.0.1 that closes, resets, swallows, holds back
 * and delays on demand. It understands the Redis protocol well enough to lose the reply of one command and to drop single
 * messages; other traffic, such as TLS and replication, it can only cut, hold and delay.
 *
 * <p>Faults add up and last until {@link #heal()}, but for those said to strike once. A {@link Strike} tells a test that the
 * fault has happened. Predicates run on the proxy's threads. All methods may be called by any thread.
 */
public final class FaultProxy implements AutoCloseable {

    /** Which way bytes go. */
    public enum Direction {
        TO_SERVER,
        TO_CLIENT
    }

    /** What becomes of a connection whose reply was swallowed. */
    public enum Then {
        /** The client sees the connection end (FIN). */
        CLOSE,
        /** The client sees the connection reset (RST). */
        RESET,
        /** The connection stays and brings nothing more, until {@link FaultProxy#heal()} resets it. */
        STAY_SILENT,
        /** The reply and all that follows it are held until {@link FaultProxy#heal()} and then delivered. */
        HOLD
    }

    /** Opens connections to the server. */
    @FunctionalInterface
    public interface Server {
        Socket connect() throws IOException;
    }

    private final Server target;
    private final int port = FreePorts.next();
    private final Faults faults = new Faults();
    private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
    private final Strike accepted = new Strike("accepted connection");
    private ServerSocket listener;
    private Thread acceptor;

    private FaultProxy(Server target) {
        this.target = target;
        this.listener = listen();
        this.acceptor = acceptFrom(listener);
    }

    /** Puts a proxy, faultless at first, before a port of 127.0.0.1. */
    public static FaultProxy to(int port) {
        return to(() -> new Socket(InetAddress.getLoopbackAddress(), port));
    }

    /** Puts a proxy, faultless at first, before any server. If the connections to it are encrypted, clients need not encrypt theirs. */
    public static FaultProxy to(Server server) {
        return new FaultProxy(server);
    }

    public int port() {
        return port;
    }

    /** A new URI of this proxy, without TLS or password. */
    public RedisURI uri() {
        return RedisURI.create("127.0.0.1", port);
    }

    /** Ends all connections in good order (FIN), as a server does that shuts down. New ones are accepted. */
    public void closeConnections() {
        connections.forEach(ProxiedConnection::close);
    }

    /** Breaks all connections (RST), as a machine does that was restarted. New ones are accepted. */
    public void resetConnections() {
        connections.forEach(ProxiedConnection::reset);
    }

    /**
     * Loses everything on the present connections and ends none of them, as a firewall does that has forgotten idle flows. New connections work.
     * {@link #heal()} resets the silent ones.
     */
    public void silenceConnections() {
        connections.forEach(ProxiedConnection::silence);
    }

    /** The same for the connections alone that have subscribed to a channel. */
    public void silenceSubscriptions() {
        connections.stream().filter(ProxiedConnection::hasSubscribed).forEach(ProxiedConnection::silence);
    }

    /** Refuses new connections, as a machine does where no server listens. Those that exist live on. */
    public synchronized void refuseConnections() {
        try {
            listener.close();
            // The system listens on until the thread has left its call of accept.
            acceptor.join(5_000);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw Interrupts.rethrow(e);
        }
    }

    /** Loses all bytes of both directions, as a dead link does: nobody is told. */
    public Strike blackHole() {
        Strike strike = new Strike("black hole");
        faults.swallow(Direction.TO_SERVER, strike);
        faults.swallow(Direction.TO_CLIENT, strike);
        return strike;
    }

    /** Loses all bytes of one direction. {@link #heal()} resets the connections that lost any: TCP does not go on after a gap. */
    public Strike blackHole(Direction direction) {
        Strike strike = new Strike("black hole " + direction);
        faults.swallow(direction, strike);
        return strike;
    }

    /** Holds the bytes of both directions until {@link #heal()} delivers them in order, as a link does that was down for a while. */
    public Strike holdBack() {
        Strike strike = new Strike("hold back");
        faults.hold(Direction.TO_SERVER, strike);
        faults.hold(Direction.TO_CLIENT, strike);
        return strike;
    }

    public Strike holdBack(Direction direction) {
        Strike strike = new Strike("hold back " + direction);
        faults.hold(direction, strike);
        return strike;
    }

    /** Delivers everything that much later, in each direction. What is under way keeps its delay when healed. */
    public Strike delay(Duration time) {
        Strike strike = new Strike("delay of " + time);
        faults.delay(time, strike);
        return strike;
    }

    /**
     * Lets Redis execute the next matching request and swallows its reply. Strikes once. What the client sent behind that
     * request on the same connection is executed as well, and its replies are lost, too. Not for SUBSCRIBE and its like,
     * which are answered by {@linkplain #dropPushes pushes}.
     */
    public Strike swallowReplyOf(Predicate<RespFrame> request, Then then) {
        Strike strike = new Strike("swallow a reply, then " + then);
        faults.add(new Faults.ReplyRule(request, then, strike, new AtomicBoolean()));
        return strike;
    }

    /** Drops what the server sends unasked, where it matches: messages and confirmations of subscriptions. */
    public Strike dropPushes(Predicate<RespFrame> push) {
        Strike strike = new Strike("drop pushes");
        faults.add(new Faults.PushRule(push, strike));
        return strike;
    }

    /** Ends all faults: delivers what was held, resets the connections that lost bytes, accepts new ones. */
    public synchronized void heal() {
        faults.clear();
        connections.stream().filter(ProxiedConnection::isTorn).forEach(ProxiedConnection::reset);
        if (listener.isClosed()) {
            listener = listen();
            acceptor = acceptFrom(listener);
        }
    }

    public int openConnections() {
        return connections.size();
    }

    /** Waits until that many connections were accepted since the start, for a client's reconnect; fails after 10 s. */
    public void awaitAccepted(int total) {
        accepted.await(total);
    }

    /** Refuses and resets everything for good. */
    @Override
    public void close() {
        refuseConnections();
        faults.clear();
        resetConnections();
        FreePorts.giveBack(port);
    }

    private ServerSocket listen() {
        try {
            return new ServerSocket(port, 1_000, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException("The proxy could not listen on port " + port, e);
        }
    }

    private Thread acceptFrom(ServerSocket socket) {
        return DaemonThreads.start("fault-proxy-" + port, () -> accept(socket));
    }

    private void accept(ServerSocket socket) {
        try {
            while (true) {
                connect(socket.accept());
            }
        } catch (IOException closed) {
            // Refusing connections starts with closing the socket that accepts them.
        }
    }

    private void connect(Socket client) throws IOException {
        try {
            Socket server = target.connect();
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            ProxiedConnection connection = new ProxiedConnection(client, server, faults, connections::remove);
            connections.add(connection);
            connection.open("fault-proxy-" + port);
            accepted.struck();
        } catch (IOException noServer) {
            client.setSoLinger(true, 0);
            client.close();
        }
    }
}
