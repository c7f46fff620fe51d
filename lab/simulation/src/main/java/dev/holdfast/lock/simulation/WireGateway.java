package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.connection.KeySlots;
import dev.holdfast.lock.internal.connection.LettuceGateway;
import dev.holdfast.lock.internal.connection.Master;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.RedisTopology;
import dev.holdfast.lock.internal.connection.ReleaseSignals;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.connection.ScriptResult;
import dev.holdfast.lock.simulation.Plan.Fault;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.io.IOException;
import java.net.ConnectException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The product's own gateway, whose connections lead to a simulated server. Only what opens a connection, and the socket below Lettuce, are
 * simulated.
 */
final class WireGateway implements RedisGateway {

    /** The moment at which a connection is cut. */
    private enum Cut {
        BEFORE_EXECUTION,
        AFTER_EXECUTION,
        /** When the server receives the text of a script that it did not know. */
        BEFORE_TEXT,
        AFTER_TEXT
    }

    /** Why no connection can be opened. */
    private enum Closed {
        REFUSED,
        /** The reason is missing, as if the server had closed the connection. */
        RESET,
        /** The attempt does not end. */
        HANGS
    }

    private final Instance instance;
    private final Network network;
    private final World world;
    private final ConnectionSettings settings;
    private final WireLine commands = new WireLine();
    private final WireLine messages = new WireLine();
    final WireChecks checks;
    private final LettuceGateway gateway;
    private @Nullable Cut nextCut;
    private @Nullable Closed closed;
    private long closedUntil;
    private boolean wasOpen;
    /** The last time at which the server executed a command after its connection had ended. */
    long executedLateAt = Long.MIN_VALUE;

    WireGateway(
            Instance instance,
            Network network,
            Checks checks,
            ConnectionSettings settings,
            Timer timer,
            Ticker ticker) {
        this.instance = instance;
        this.network = network;
        this.world = network.world();
        this.settings = settings;
        this.checks = new WireChecks(this, instance, network, settings, checks);
        this.gateway =
                new LettuceGateway(new Topology(), new KeySlots(false), settings, timer, ticker, network.process);
        if (world.chance("has waited " + instance.name()).onceIn(2)) {
            var unused = gateway.firstConnected().thenRun(this::openMessages);
        }
    }

    /** As a client does that has waited before: its next subscription is sent on a connection that may be replaced at that moment. */
    private void openMessages() {
        gateway.signals().subscribe("an earlier wait", null, message -> {}).cancel(0);
    }

    boolean subscribes() {
        return instance.subscribes();
    }

    // What Lettuce's clients do in the product

    /** Opens connections to the one server. */
    private final class Topology implements RedisTopology {

        @Override
        public StatefulRedisConnection<String, String> openCommands(@Nullable RedisURI node)
                throws InterruptedException {
            return open(false).client.commands();
        }

        @Override
        public StatefulRedisPubSubConnection<String, String> openSignals(@Nullable RedisURI node)
                throws InterruptedException {
            return open(true).client.messages();
        }
    }

    private WireSocket open(boolean forMessages) throws InterruptedException {
        checks.attemptBegins(forMessages);
        boolean hidesReason = false;
        try {
            connect();
        } catch (RedisConnectionException e) {
            hidesReason = String.valueOf(e.getCause()).contains("reset");
            throw e;
        } finally {
            checks.attemptEnds(forMessages, hidesReason);
        }
        WireSocket socket = new WireSocket(this, forMessages);
        lineOf(socket).sockets.add(socket);
        wasOpen = true;
        return socket;
    }

    /** Opens a connection, with the handshake. Each of the steps has its own time limit. */
    private void connect() throws InterruptedException {
        if (closed != null && world.now() < closedUntil && (wasOpen || closed != Closed.HANGS)) {
            if (closed == Closed.HANGS) {
                SimulatedThreads.sleep(world, Long.MAX_VALUE);
            }
            SimulatedThreads.sleep(world, 2 * network.delay());
            throw closed == Closed.RESET
                    ? failure(new IOException("Connection reset by peer"))
                    : failure(new ConnectException("Connection refused"));
        }
        lookWhetherReachable();
        SimulatedThreads.sleep(world, 3 * network.delay());
        lookWhetherReachable();
        if (network.server.refusal == SimulatedServer.Refusal.READONLY) {
            throw new RedisConnectionException("The server is a replica, and locks need a master");
        }
    }

    private void lookWhetherReachable() throws InterruptedException {
        SimulatedServer server = network.server;
        refuseIfAway();
        if (network.split) {
            SimulatedThreads.sleep(
                    world, network.process.inWorldTime(settings.connectTimeout().toNanos()));
            throw failure(new ConnectException("connection timed out"));
        }
        long end = world.now()
                + network.process.inWorldTime(settings.commandTimeout().toNanos());
        while (server.isPaused()) {
            if (world.now() >= end) {
                throw failure(new IOException("Connection initialization timed out"));
            }
            SimulatedThreads.sleep(world, TimeUnit.MILLISECONDS.toNanos(20));
        }
        refuseIfAway();
    }

    private void refuseIfAway() throws InterruptedException {
        if (network.server.away) {
            SimulatedThreads.sleep(world, 2 * network.delay());
            throw failure(new ConnectException("Connection refused"));
        }
    }

    private static RedisConnectionException failure(IOException reason) {
        return new RedisConnectionException("Unable to connect to the simulated server", reason);
    }

    private WireLine lineOf(WireSocket socket) {
        return socket.isForMessages ? messages : commands;
    }

    /** Called when a connection cannot be used any more. */
    void ended(WireSocket socket) {
        lineOf(socket).sockets.remove(socket);
    }

    // Faults and checks

    Network network() {
        return network;
    }

    WireLine commands() {
        return commands;
    }

    WireLine messages() {
        return messages;
    }

    /** Returns whether someone in the client listens to messages. A channel that is only kept for a while does not count. */
    boolean isListening() {
        return checks.isListening();
    }

    /** Causes a fault that needs a wire. */
    void strike(Fault fault) {
        switch (fault.kind()) {
            case CUT_AT_COMMAND -> {
                Cut[] cuts = Cut.values();
                nextCut = cuts[fault.number() % cuts.length];
                if (isAtText()) {
                    network.server.forgetScripts();
                }
            }
            case NO_CONNECTION -> {
                Closed[] ways = Closed.values();
                closed = ways[fault.number() % ways.length];
                closedUntil = world.now() + TimeUnit.MILLISECONDS.toNanos(fault.forMillis());
                commands.cut();
                messages.cut();
            }
            default -> throw new IllegalArgumentException("Not a fault of a wire: " + fault.kind());
        }
    }

    private boolean isAtText() {
        return nextCut == Cut.BEFORE_TEXT || nextCut == Cut.AFTER_TEXT;
    }

    /** Returns whether the connection ends before the server executes this command. */
    boolean cutsBefore(WireSocket socket, WireCommand command) {
        return socket.isOpen
                && ((nextCut == Cut.BEFORE_EXECUTION && command.isScript())
                        || (nextCut == Cut.BEFORE_TEXT && command.is("EVAL")))
                && cuts();
    }

    /** Returns whether the connection ends before the server answers this command, which it has executed. */
    boolean cutsAfter(WireSocket socket, WireCommand command, boolean unknown) {
        return socket.isOpen
                && ((nextCut == Cut.AFTER_EXECUTION && command.isScript() && !unknown)
                        || (nextCut == Cut.AFTER_TEXT && command.is("EVAL")))
                && cuts();
    }

    private boolean cuts() {
        world.history.add(world.now(), "fault", "cut at a command: " + nextCut, instance.name(), 0);
        nextCut = null;
        troubledUntil(world.now());
        return true;
    }

    void troubledUntil(long moment) {
        instance.troubledAt = Math.max(instance.troubledAt, moment);
    }

    // The product's gateway, whose calls are checked

    @Override
    public <T> CompletableFuture<T> run(
            Script script, List<String> keys, List<String> args, Function<ScriptResult, T> reader) {
        return checks.call(keys, args, true, call -> gateway.run(script, keys, args, call.checked(reader)));
    }

    @Override
    public <T> CompletableFuture<T> run(
            Script script,
            List<String> keys,
            List<String> args,
            Function<ScriptResult, T> reader,
            Consumer<? super T> late) {
        return checks.call(
                keys,
                args,
                true,
                call -> gateway.run(script, keys, args, call.checked(reader), call.checkedLate(late)));
    }

    @Override
    public <T> CompletableFuture<T> runReplicated(
            Script script,
            List<String> keys,
            List<String> args,
            int replicas,
            Predicate<List<Object>> isWrite,
            Function<ScriptResult, T> reader) {
        return checks.call(
                keys,
                args,
                replicas == 0,
                call -> gateway.runReplicated(script, keys, args, replicas, isWrite, call.checked(reader)));
    }

    @Override
    public CompletableFuture<Void> attempted() {
        return gateway.attempted();
    }

    @Override
    public CompletionStage<Void> firstConnected() {
        return gateway.firstConnected();
    }

    @Override
    public ReleaseSignals signals() {
        return checks.signals(gateway.signals());
    }

    @Override
    public long interruptions() {
        return gateway.interruptions();
    }

    @Override
    public CompletableFuture<List<Object>> command(String name, List<String> keys, String... args) {
        return gateway.command(name, keys, args);
    }

    @Override
    public CompletableFuture<List<Master>> masters() {
        return gateway.masters();
    }

    @Override
    public void close() {
        checks.closes();
        gateway.close();
        checks.closed();
    }
}
