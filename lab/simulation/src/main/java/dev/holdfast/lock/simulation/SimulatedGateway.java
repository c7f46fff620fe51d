package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisFailure.Kind;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.connection.ScriptResult;
import dev.holdfast.lock.internal.waiting.ReleaseSignals;
import dev.holdfast.lock.test.memory.MemoryRedis;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/** A client's gateway to a simulated server: a connection for commands, and one for messages. */
final class SimulatedGateway implements RedisGateway, Lines {

    private static final int UNCONFIRMED_ONCE_IN = 10;

    private final Network network;
    private final CommandLink commands;
    private final MessageLink messages;

    SimulatedGateway(Network network, ConnectionSettings settings, Timer timer, boolean subscribes) {
        this.network = network;
        this.commands = new CommandLink(network, settings);
        this.messages = new MessageLink(network, settings, timer, subscribes);
        commands.onSuspect = () -> messages.connect(0);
        commands.connect(0);
        messages.connect(0);
    }

    @Override
    public Network network() {
        return network;
    }

    @Override
    public Line commands() {
        return commands;
    }

    @Override
    public Line messages() {
        return messages;
    }

    @Override
    public boolean isListening() {
        return messages.isUsed();
    }

    @Override
    public long executedLateAt() {
        return commands.executedLateAt;
    }

    /** Runs a script. The connection ends with a timeout, so that no answer follows it. */
    @Override
    public <T> CompletableFuture<T> run(
            Script script,
            List<String> keys,
            List<String> args,
            Function<ScriptResult, T> reader,
            Consumer<? super T> late) {
        Tracer tracer = network.world().tracer;
        return commands.send(
                script,
                tracer == null ? null : tracer.call(network.process, script, keys, args),
                server -> server.run(script, keys, args),
                (values, sentAt) -> reader.apply(new ScriptResult(values, sentAt)));
    }

    @Override
    public <T> CompletableFuture<T> runReplicated(
            Script script,
            List<String> keys,
            List<String> args,
            int replicas,
            Predicate<List<Object>> isWrite,
            Function<ScriptResult, T> reader) {
        if (replicas == 0) {
            return run(script, keys, args, reader);
        }
        boolean unconfirmed = network.chance.onceIn(UNCONFIRMED_ONCE_IN);
        return commands.send(script, server -> server.run(script, keys, args), (values, sentAt) -> {
            if (unconfirmed && isWrite.test(values)) {
                throw RedisFailure.simulated(Kind.NO_ANSWER, "only 0 of " + replicas + " replicas confirmed");
            }
            return reader.apply(new ScriptResult(values, sentAt));
        });
    }

    @Override
    public CompletionStage<Void> firstConnected() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public ReleaseSignals signals() {
        return messages.signals();
    }

    @Override
    public long interruptions() {
        return commands.interruptions;
    }

    @Override
    public CompletableFuture<Void> attempted() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<List<Object>> command(String name, List<String> keys, String... args) {
        List<String> all = new ArrayList<>(keys);
        all.addAll(List.of(args));
        return commands.send(
                null,
                server -> MemoryRedis.asList(server.command(name.toLowerCase(Locale.ROOT), all)),
                (values, sentAt) -> values);
    }

    @Override
    public void close() {
        commands.close();
        messages.close();
    }
}
