package dev.holdfast.lock.simulation;

import dev.holdfast.lock.simulation.process.Subscriber;
import dev.holdfast.lock.simulation.wire.Resp;
import dev.holdfast.lock.simulation.wire.WireConnection;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection of Lettuce to a simulated server: the bytes on their way, what has arrived and is not read yet, and the server's end. Data arrives
 * even while the process stands still. When the process goes on, its event loop and its timers run in any order.
 */
final class WireSocket implements WireConnection.Peer, Subscriber {

    private static final long READ_WITHIN = TimeUnit.MICROSECONDS.toNanos(20);
    /** The time for which timers may run before the event loop reads, when a process goes on. */
    private static final long TIMERS_FIRST = TimeUnit.MILLISECONDS.toNanos(2);
    /** The time after which a server notices that a silent connection has ended. */
    private static final long NOTICED_LATER = TimeUnit.SECONDS.toNanos(5);

    private static final int UNCONFIRMED_ONCE_IN = 10;

    /** Bytes that the client reads. */
    static final class Frame {

        private static final Frame END = answer(new byte[0]);

        private final byte[] bytes;
        /** The call that is answered; null for another message. */
        final WireChecks.@Nullable Call call;
        /** Whether the answer ends the call, and does not ask for the script's text. */
        private final boolean ends;
        /** The words of a message; empty for an answer. */
        final List<String> message;

        private Frame(byte[] bytes, WireChecks.@Nullable Call call, boolean ends, List<String> message) {
            this.bytes = bytes;
            this.call = call;
            this.ends = ends;
            this.message = message;
        }

        private static Frame answer(byte[] bytes) {
            return new Frame(bytes, null, true, List.of());
        }

        private static Frame message(Object... words) {
            return new Frame(
                    Resp.push(words),
                    null,
                    true,
                    Arrays.stream(words).map(String::valueOf).toList());
        }
    }

    private final WireGateway gateway;
    private final Network network;
    private final World world;
    /** The server at the other end. */
    SimulatedServer server;

    final boolean isForMessages;
    final WireConnection client;
    final long openedAt;
    private final WireStream<WireCommand> toServer;
    private final WireStream<Frame> toClient;
    private final Deque<Frame> unread = new ArrayDeque<>();
    private boolean loopWakes;
    private long wakesAt;
    /** The commands behind a WAIT, which blocks its connection. */
    private final Deque<WireCommand> behindWait = new ArrayDeque<>();

    private boolean waits;
    boolean isHalfOpen;
    /** Whether the client takes the connection for open. */
    boolean isOpen = true;

    private boolean isTorn;

    WireSocket(WireGateway gateway, boolean forMessages) {
        this.gateway = gateway;
        this.network = gateway.network();
        this.world = network.world();
        this.server = network.server;
        this.isForMessages = forMessages;
        this.openedAt = world.now();
        this.toServer = new WireStream<>(network, server, this::arrived);
        this.toClient = new WireStream<>(network, world.self, this::arrived);
        this.client = forMessages ? WireConnection.forMessages(this) : WireConnection.forCommands(this);
    }

    @Override
    public void sent(List<String> command) {
        WireCommand sent = new WireCommand(command, isForMessages ? null : gateway.checks.sent(this, command));
        toServer.send(sent);
    }

    @Override
    public void closed() {
        isOpen = false;
        tear();
    }

    // The server's end

    private void arrived(WireCommand command) {
        if (server.away) {
            return;
        }
        if (waits) {
            behindWait.add(command);
            return;
        }
        if (gateway.cutsBefore(this, command)) {
            cut();
            return;
        }
        if (isTorn) {
            gateway.executedLateAt = world.now();
        }
        if (command.is("WAIT")) {
            confirm(command);
        } else if (command.is("SUBSCRIBE")) {
            subscribe(command.words().get(1));
        } else if (command.is("UNSUBSCRIBE")) {
            server.unsubscribe(command.words().get(1), this);
            send(Frame.message("unsubscribe", command.words().get(1), 0L));
        } else {
            boolean unknown = command.isUnknownTo(server);
            byte[] answer = command.executeAt(server);
            if (gateway.cutsAfter(this, command, unknown)) {
                cut();
            } else {
                send(new Frame(answer, command.call(), !unknown, List.of()));
            }
        }
    }

    private void send(Frame frame) {
        if (!isTorn) {
            toClient.send(frame);
        }
    }

    private void subscribe(String channel) {
        if (!gateway.subscribes()) {
            send(Frame.answer(Resp.error("NOPERM No permissions to access a channel")));
        } else if (!isTorn) {
            server.subscribe(channel, this);
            send(Frame.message("subscribe", channel, 1L));
        }
    }

    @Override
    public void send(String channel, String message) {
        send(Frame.message("message", channel, message));
    }

    /** Answers WAIT, which blocks the connection until replicas have confirmed. */
    private void confirm(WireCommand command) {
        long replicas = Long.parseLong(command.words().get(1));
        long limit = Long.parseLong(command.words().get(2));
        boolean confirmed = !network.chance.onceIn(UNCONFIRMED_ONCE_IN);
        waits = true;
        if (!confirmed) {
            if (command.call() != null) {
                command.call().isUnconfirmed = true;
            }
            gateway.troubledUntil(world.now() + TimeUnit.MILLISECONDS.toNanos(limit));
        }
        world.plan(server, confirmed ? network.delay() : TimeUnit.MILLISECONDS.toNanos(limit), () -> {
            waits = false;
            send(Frame.answer(Resp.answer(confirmed ? replicas : 0L)));
            for (WireCommand next = behindWait.poll(); next != null; next = waits ? null : behindWait.poll()) {
                arrived(next);
            }
        });
    }

    private void forget() {
        world.plan(server, isHalfOpen ? NOTICED_LATER : network.delay(), () -> server.forget(this));
    }

    // The client's end

    /** Called when data has arrived in the client's machine, even if the process does not run. */
    private void arrived(Frame frame) {
        if (!isOpen || network.process.dead) {
            return;
        }
        if (frame.call != null && frame.ends) {
            frame.call.answerArrivedAt = world.now();
        }
        unread.add(frame);
        if (!loopWakes) {
            loopWakes = true;
            wake(network.chance.between(0, READ_WITHIN));
        }
    }

    private void wake(long delay) {
        wakesAt = world.now() + delay;
        world.plan(network.process, delay, this::read);
    }

    /** Reads everything that has arrived, as an event loop does. */
    private void read() {
        if (world.now() > wakesAt && network.chance.onceIn(2)) {
            wakesAt = Long.MAX_VALUE;
            world.plan(network.process, network.chance.between(0, TIMERS_FIRST), this::read);
            return;
        }
        loopWakes = false;
        for (Frame next = unread.poll(); next != null && isOpen; next = unread.poll()) {
            if (next.bytes.length == 0) {
                isOpen = false;
                gateway.ended(this);
                client.end();
                gateway.checks.ended(this);
            } else {
                gateway.checks.read(this, next);
            }
        }
    }

    /** Hands over what the client has read. */
    void receive(Frame read) {
        client.receive(read.bytes);
    }

    // Faults

    /** Ends the connection, which the client notices later. */
    void cut() {
        if (!isTorn) {
            tear();
            if (network.chance.onceIn(2)) {
                toClient.silence();
            }
            // The end is the last thing to arrive, also if what preceded it is lost.
            new WireStream<Frame>(network, world.self, this::arrived).send(Frame.END);
        }
    }

    /** Ends the connection without notifying the client. */
    void tear() {
        if (!isTorn) {
            isTorn = true;
            toServer.tear();
            forget();
        }
        gateway.ended(this);
    }

    /** Goes on with a master whose place another server has taken, also for messages. */
    void stayWith(SimulatedServer former) {
        server.leave(this, former);
        server = former;
        toServer.leadTo(former);
    }

    boolean isSubscribed(String channel) {
        return server.isSubscribed(channel, this);
    }

    void becomeHalfOpen() {
        isHalfOpen = true;
        toServer.silence();
        toClient.silence();
    }

    void stallUntil(long moment) {
        toServer.stalledUntil = moment;
        toClient.stalledUntil = moment;
    }

    boolean isStalled() {
        return toServer.stalledUntil > world.now();
    }
}
