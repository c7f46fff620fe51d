package dev.holdfast.lock.test;

import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisFailure.Kind;
import dev.holdfast.lock.internal.connection.ReleaseSignals;
import dev.holdfast.lock.test.memory.MemoryGateway.Command;
import dev.holdfast.lock.test.memory.MemoryGateway.Traffic;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connection between an instance of a fleet and its Redis. Requests, answers and messages take some time. Within each of these three, the order
 * is kept. A request that is in transit when the connection ends may or may not be executed, and its answer never arrives.
 */
final class FleetConnection implements Traffic, ReleaseSignals {

    private static final double SHORTEST = TimeUnit.MICROSECONDS.toNanos(40);
    private static final double USUAL = TimeUnit.MICROSECONDS.toNanos(400);
    private static final double SLOW = TimeUnit.MILLISECONDS.toNanos(30);
    private static final double SLOW_SHARE = 0.005;

    private final class Way {
        private long last;

        long nanosUntilArrival() {
            double delay = instance.random(SHORTEST, instance.random(0, 1) < SLOW_SHARE ? SLOW : USUAL);
            last = Math.max(last + 1, instance.nanoTime() + (long) delay);
            return last - instance.nanoTime();
        }
    }

    private final class Listener implements Subscription {
        private final String channel;
        private final @Nullable String place;
        private final Consumer<String> onMessage;
        private final CompletableFuture<Void> ready = new CompletableFuture<>();
        private @Nullable Subscription atServer;

        Listener(String channel, @Nullable String place, Consumer<String> onMessage) {
            this.channel = channel;
            this.place = place;
            this.onMessage = onMessage;
        }

        void listen() {
            long over = number;
            atServer = server().subscribe(
                            channel,
                            place,
                            message -> instance.plan(
                                    () -> {
                                        if (over == number && listeners.contains(this)) {
                                            onMessage.accept(message);
                                        }
                                    },
                                    messages.nanosUntilArrival()));
        }

        void leave() {
            if (atServer != null) {
                atServer.cancel(0);
                atServer = null;
            }
        }

        @Override
        public CompletionStage<Void> ready() {
            return ready;
        }

        @Override
        public void cancel(long lingerNanos) {
            listeners.remove(this);
            leave();
        }
    }

    private final FleetInstance instance;
    private final Way requests = new Way();
    private final Way answers = new Way();
    private final Way messages = new Way();
    private final List<CompletableFuture<?>> inFlight = new ArrayList<>();
    private final List<Listener> listeners = new ArrayList<>();
    private @Nullable ReleaseSignals server;
    private boolean connected = true;
    /** The number of the connection. It increases when a connection ends. */
    private long number;

    FleetConnection(FleetInstance instance) {
        this.instance = instance;
    }

    boolean isConnected() {
        return connected;
    }

    void disconnect() {
        connected = false;
        number++;
        listeners.forEach(Listener::leave);
        List.copyOf(inFlight).forEach(answer -> instance.plan(() -> answer.completeExceptionally(unanswered()), 0));
        inFlight.clear();
    }

    private static RedisFailure unanswered() {
        return RedisFailure.simulated(Kind.NO_ANSWER, "no answer from Redis: the connection ended");
    }

    void connect() {
        connected = true;
        for (Listener listener : listeners) {
            listener.listen();
            instance.plan(
                    () -> {
                        if (!listener.ready.complete(null)) {
                            listener.onMessage.accept(MISSED);
                        }
                    },
                    0);
        }
    }

    @Override
    public <T> CompletableFuture<T> send(String command, List<String> keys, List<String> args, Command<T> execution) {
        if (!connected) {
            return CompletableFuture.failedFuture(
                    RedisFailure.simulated(Kind.NOT_SENT, "not sent: no connection to Redis"));
        }
        if (command.endsWith("acquire")) {
            keys.forEach(key -> instance.noteOnce("asks for lock '" + key + "'"));
        }
        CompletableFuture<T> answer = new CompletableFuture<>();
        inFlight.add(answer);
        long over = number;
        instance.planElsewhere(() -> execute(execution, answer, over), requests.nanosUntilArrival());
        return answer;
    }

    private <T> void execute(Command<T> execution, CompletableFuture<T> answer, long over) {
        if (over != number && instance.random(0, 1) < 0.5) {
            return;
        }
        CompletableFuture<T> executed = Traffic.executed(execution);
        if (over == number) {
            instance.plan(() -> answered(executed, answer), answers.nanosUntilArrival());
        }
    }

    /** Completes the answer. Does nothing if the connection has ended meanwhile. */
    private <T> void answered(CompletableFuture<T> executed, CompletableFuture<T> answer) {
        if (inFlight.removeIf(other -> other == answer)) {
            executed.whenComplete((value, failure) -> {
                if (failure == null) {
                    answer.complete(value);
                } else {
                    answer.completeExceptionally(failure);
                }
            });
        }
    }

    @Override
    public ReleaseSignals signals(ReleaseSignals ofServer) {
        server = ofServer;
        return this;
    }

    private ReleaseSignals server() {
        if (server == null) {
            throw new IllegalStateException("No gateway is open");
        }
        return server;
    }

    @Override
    public long interruptions() {
        return number;
    }

    @Override
    public boolean areInUse() {
        return true;
    }

    @Override
    public boolean isSubscribed(String channel) {
        return connected && listeners.stream().anyMatch(listener -> listener.channel.equals(channel));
    }

    @Override
    public Subscription subscribe(String channel, @Nullable String place, Consumer<String> onMessage) {
        Listener listener = new Listener(channel, place, onMessage);
        listeners.add(listener);
        if (connected) {
            listener.listen();
            listener.ready.complete(null);
        }
        return listener;
    }
}
