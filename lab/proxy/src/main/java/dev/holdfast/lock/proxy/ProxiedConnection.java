package dev.holdfast.lock.proxy;

import dev.holdfast.lock.proxy.FaultProxy.Direction;
import java.io.IOException;
import java.net.Socket;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * One client's connection through the proxy. It knows which reply belongs to which request: Redis answers in order, and
 * what comes unasked is recognised by its kind.
 */
final class ProxiedConnection {

    /** These get no reply but pushes, one for each channel. */
    private static final Set<String> SUBSCRIBING =
            Set.of("SUBSCRIBE", "UNSUBSCRIBE", "PSUBSCRIBE", "PUNSUBSCRIBE", "SSUBSCRIBE", "SUNSUBSCRIBE");

    private static final Set<String> MESSAGES = Set.of("MESSAGE", "PMESSAGE", "SMESSAGE");

    /** After these a connection is no longer a sequence of requests and replies. */
    private static final Set<String> STREAMING = Set.of("PSYNC", "SYNC", "MONITOR");

    private final Socket client;
    private final Socket server;
    private final Faults faults;
    private final Consumer<ProxiedConnection> whenClosed;
    private final Pipe toServer;
    private final Pipe toClient;
    private final Queue<Optional<Faults.ReplyRule>> awaited = new ConcurrentLinkedQueue<>();
    private volatile boolean raw;
    private volatile boolean subscribed;
    private volatile boolean torn;

    ProxiedConnection(Socket client, Socket server, Faults faults, Consumer<ProxiedConnection> whenClosed) {
        this.client = client;
        this.server = server;
        this.faults = faults;
        this.whenClosed = whenClosed;
        this.toServer = new Pipe(this, Direction.TO_SERVER, client, server);
        this.toClient = new Pipe(this, Direction.TO_CLIENT, server, client);
    }

    void open(String name) {
        toServer.open(name);
        toClient.open(name);
    }

    Faults faults() {
        return faults;
    }

    /** Bytes were lost: no TCP stream goes on after a gap, so this connection cannot be healed any more. */
    void tear() {
        torn = true;
    }

    /** Delivers nothing any more in either direction, and stays open. */
    void silence() {
        tear();
        toServer.silence();
        toClient.silence();
    }

    boolean hasSubscribed() {
        return subscribed;
    }

    boolean isTorn() {
        return torn;
    }

    boolean isClosed() {
        return client.isClosed();
    }

    /** TLS and inline commands are passed on unread, and so is a replication stream. */
    boolean isRaw(Direction direction, int firstByte) {
        if (direction == Direction.TO_SERVER && firstByte != '*') {
            raw = true;
        }
        return raw;
    }

    void decide(Pipe pipe, RespFrame frame) {
        if (pipe == toServer) {
            request(frame);
        } else if (isPush(frame)) {
            if (!faults.drops(frame)) {
                toClient.send(frame.raw());
            }
        } else {
            reply(frame);
        }
    }

    private void request(RespFrame request) {
        // Noted before it is sent on: its reply may be here before this method is left.
        if (SUBSCRIBING.contains(request.name())) {
            subscribed = true;
        } else if (STREAMING.contains(request.name())) {
            raw = true;
        } else {
            awaited.add(Optional.ofNullable(faults.ruleFor(request)));
        }
        toServer.send(request.raw());
    }

    private void reply(RespFrame reply) {
        Optional<Faults.ReplyRule> rule = Optional.ofNullable(awaited.poll()).flatMap(it -> it);
        if (rule.isPresent()) {
            strike(rule.get(), reply);
        } else {
            toClient.send(reply.raw());
        }
    }

    private void strike(Faults.ReplyRule rule, RespFrame reply) {
        switch (rule.then()) {
            case HOLD -> {
                toClient.then(() -> faults.hold(toClient, rule.strike()));
                toClient.send(reply.raw());
            }
            case STAY_SILENT -> {
                tear();
                toClient.silence();
                toClient.then(rule.strike()::struck);
            }
            case CLOSE -> {
                toClient.silence();
                toClient.then(() -> {
                    toClient.finish();
                    rule.strike().struck();
                });
            }
            case RESET -> {
                toClient.silence();
                toClient.then(() -> {
                    reset();
                    rule.strike().struck();
                });
            }
        }
    }

    /** The second version of the protocol has no type of its own for messages. */
    private boolean isPush(RespFrame frame) {
        return frame.isPush()
                || (subscribed && (MESSAGES.contains(frame.name()) || SUBSCRIBING.contains(frame.name())));
    }

    /** FIN to both sides at once; what was still under way is lost. */
    void close() {
        toClient.silence();
        toServer.silence();
        try {
            toClient.finish();
            toServer.finish();
        } catch (IOException alreadyClosed) {
            reset();
        }
    }

    void closeIfEnded() {
        if (toServer.hasEnded() && toClient.hasEnded()) {
            closeSockets();
        }
    }

    /** RST to both sides: with nothing to linger for, closing a socket resets its connection. */
    void reset() {
        try {
            client.setSoLinger(true, 0);
            server.setSoLinger(true, 0);
        } catch (IOException alreadyClosed) {
            // Then there is nothing to reset.
        }
        closeSockets();
    }

    private void closeSockets() {
        try (client;
                server) {
            whenClosed.accept(this);
        } catch (IOException e) {
            // A socket that cannot be closed is of no more use to anybody either.
        }
        // The writers may wait for work: one more step makes them look around.
        toServer.then(() -> {});
        toClient.then(() -> {});
    }
}
