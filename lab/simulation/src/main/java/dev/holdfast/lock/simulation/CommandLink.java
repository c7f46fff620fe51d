package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisFailure.Kind;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.test.memory.CommandException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The connection for commands. It guarantees what TCP guarantees: on one connection, commands arrive in order, and so do answers. A command that is
 * in transit when its connection ends is executed never, at once, or late, after commands of the next connection.
 */
final class CommandLink extends Link {

    private final class Command<T> {
        /** The script; null for a plain command. */
        private final @Nullable Script script;

        private final Tracer.@Nullable Call call;
        private final Function<SimulatedServer, List<Object>> execution;
        private SimulatedServer to = server;
        private final BiFunction<List<Object>, Long, T> reader;
        private final CompletableFuture<T> answer = new CompletableFuture<>();
        private final World.Event overdue;
        private World.@Nullable Event onItsWay;
        private boolean sent;
        private boolean asText;
        private boolean executed;
        private long sentAt;
        private int sentOver;

        Command(
                @Nullable Script script,
                Tracer.@Nullable Call call,
                Function<SimulatedServer, List<Object>> execution,
                BiFunction<List<Object>, Long, T> reader) {
            this.script = script;
            this.call = call;
            this.execution = execution;
            this.reader = reader;
            long limit = settings.commandTimeout().toNanos();
            this.overdue = world().plan(network.process, network.process.inWorldTime(limit), this::expire);
        }

        void send() {
            sent = true;
            sentOver = number;
            to = server;
            sentAt = network.process.nanoTime();
            if (call != null) {
                call.sent();
            }
            inFlight.add(this);
            if (!isDeaf()) {
                int over = number;
                onItsWay = world().planAt(to, arrival(), () -> execute(over));
            }
        }

        /** Executes the command at the server. Its connection may have ended after the command was sent. */
        void execute(int over) {
            if (over == number) {
                to = server;
            }
            if (executed || to.away || (isDeaf() && over == number)) {
                return;
            }
            if (script != null && !asText && !to.knows(script)) {
                if (over == number && open && !isDeaf()) {
                    world().planAt(network.process, replyArrival(), () -> sendText(over));
                }
                return;
            }
            executed = true;
            if (over != number) {
                executedLateAt = world().now();
            }
            if (script != null) {
                to.learn(script);
            }
            List<Object> result = List.of();
            RedisFailure failure = null;
            try {
                result = execution.apply(to);
            } catch (RedisFailure refused) {
                failure = refusal(String.valueOf(refused.getMessage()));
            } catch (CommandException refused) {
                failure = refusal(String.valueOf(refused.getMessage()));
            }
            if (over == number && open && !isDeaf()) {
                List<Object> values = result;
                RedisFailure refused = failure;
                world().planAt(network.process, replyArrival(), () -> answered(over, values, refused));
            }
        }

        /** Sends the script's text, because the server does not know the script. Commands that were sent meanwhile are executed before it. */
        private void sendText(int over) {
            if (over == number && open && inFlight.contains(this)) {
                asText = true;
                send();
            }
        }

        private RedisFailure refusal(String message) {
            boolean passing =
                    message.startsWith("OOM") || message.startsWith("READONLY") || message.startsWith("NOREPLICAS");
            return RedisFailure.simulated(
                    passing ? Kind.REFUSED_FOR_NOW : Kind.REFUSED, "Redis refused the command: " + message);
        }

        void answered(int over, List<Object> values, @Nullable RedisFailure failure) {
            if (over != number || !open || !inFlight.remove(this)) {
                return;
            }
            overdue.cancel();
            if (failure != null) {
                answer.completeExceptionally(failure);
                return;
            }
            if (call != null) {
                call.answered(values);
            }
            T read;
            try {
                read = reader.apply(values, sentAt);
            } catch (RuntimeException unreadable) {
                answer.completeExceptionally(unreadable);
                return;
            }
            answer.complete(read);
        }

        void expire() {
            String limit = " within " + settings.commandTimeout();
            boolean current = open && sentOver == number;
            inFlight.remove(this);
            unsent.remove(this);
            answer.completeExceptionally(
                    sent
                            ? RedisFailure.simulated(Kind.NO_ANSWER, "no answer from Redis" + limit)
                            : RedisFailure.simulated(Kind.NOT_SENT, "not sent: no connection to Redis" + limit));
            if (sent && current) {
                connect(0);
                onSuspect.run();
            }
        }

        void fail(RedisFailure failure) {
            overdue.cancel();
            answer.completeExceptionally(failure);
        }
    }

    private final Set<Command<?>> inFlight = new LinkedHashSet<>();
    private final List<Command<?>> unsent = new ArrayList<>();
    /** Called when the client gives up a connection that has not ended. */
    Runnable onSuspect = () -> {};

    long interruptions;

    /** The last time at which a command was executed after its connection had ended. */
    long executedLateAt = Long.MIN_VALUE;

    CommandLink(Network network, ConnectionSettings settings) {
        super(network, settings);
    }

    <T> CompletableFuture<T> send(
            @Nullable Script script,
            Function<SimulatedServer, List<Object>> execution,
            BiFunction<List<Object>, Long, T> reader) {
        return send(script, null, execution, reader);
    }

    <T> CompletableFuture<T> send(
            @Nullable Script script,
            Tracer.@Nullable Call call,
            Function<SimulatedServer, List<Object>> execution,
            BiFunction<List<Object>, Long, T> reader) {
        if (closed || (!open && everOpen)) {
            return CompletableFuture.failedFuture(
                    RedisFailure.simulated(Kind.NOT_SENT, "not sent: no connection to Redis"));
        }
        Command<T> command = new Command<>(script, call, execution, reader);
        if (open) {
            command.send();
        } else {
            unsent.add(command);
        }
        return command.answer;
    }

    @Override
    void attemptFailed() {
        // Commands wait only for the first attempt, and it has failed.
        everOpen = true;
        failUnsent();
    }

    private void failUnsent() {
        List<Command<?>> waiting = List.copyOf(unsent);
        unsent.clear();
        waiting.forEach(
                command -> command.fail(RedisFailure.simulated(Kind.NOT_SENT, "not sent: no connection to Redis")));
    }

    @Override
    void opened() {
        List<Command<?>> waiting = List.copyOf(unsent);
        unsent.clear();
        waiting.forEach(Command::send);
    }

    @Override
    void ended() {
        interruptions++;
        List<Command<?>> lost = List.copyOf(inFlight);
        inFlight.clear();
        int over = number;
        number++;
        for (Command<?> command : lost) {
            if (command.onItsWay != null && network.chance.onceIn(2)) {
                command.onItsWay.cancel();
                if (network.chance.onceIn(2)) {
                    world().planAt(command.to, lateArrival(), () -> command.execute(over));
                }
            }
            // Fails the command after the current event, so that a repeated request uses the next connection.
            world().plan(
                            network.process,
                            0,
                            () -> command.fail(RedisFailure.simulated(
                                    Kind.NO_ANSWER, "no answer from Redis: the connection ended")));
        }
    }

    @Override
    public void close() {
        if (open) {
            open = false;
            ended();
        }
        closed = true;
        failUnsent();
    }

    int inFlight() {
        return inFlight.size();
    }
}
