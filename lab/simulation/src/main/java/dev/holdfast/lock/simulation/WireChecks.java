package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisFailure.Kind;
import dev.holdfast.lock.internal.connection.ReleaseSignals;
import dev.holdfast.lock.internal.connection.ScriptResult;
import dev.holdfast.lock.simulation.WireSocket.Frame;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Checks what a gateway does with its connections, between its callers and the wire. */
final class WireChecks {

    private static final long ROUND = TimeUnit.MILLISECONDS.toNanos(100);
    /** The time by which a command may expire late. */
    private static final long SLACK = TimeUnit.MILLISECONDS.toNanos(20);
    /** The second check of a timeout that is late by less than this does not know that the process stood still. */
    private static final long UNNOTICED_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);
    /** The time within which the event loop reads what has arrived while the process runs. */
    private static final long READ_SOON = TimeUnit.MILLISECONDS.toNanos(1);
    /** The time after which a client without trouble must be connected, and must hear what it listens to. */
    private static final long SETTLED = TimeUnit.SECONDS.toNanos(2);

    /** A call of the gateway. */
    final class Call {

        private final long begunAt = world.now();
        private final List<String> words;
        private final boolean hasTimeout;
        /** Whether the call may wait for the client's first attempt to connect. */
        private final boolean isFirst = !connected;
        /** The time of the last sending on the process's clock. 0 if it is not sent yet. */
        private long sentAt;

        private @Nullable WireSocket sentOver;
        private boolean answerRead;
        /** Whether the caller also wants an answer after the end of the call, and has none yet. */
        private boolean wantsLateAnswer;

        private boolean ended;
        /** Whether too few replicas have confirmed what the script wrote. */
        boolean isUnconfirmed;

        long answerArrivedAt = Long.MAX_VALUE;

        /**
         * Creates a call.
         *
         * @param words the script's keys and arguments
         * @param hasTimeout whether a single answer decides the call
         */
        private Call(List<String> words, boolean hasTimeout) {
            this.words = words;
            this.hasTimeout = hasTimeout;
        }

        /** Returns a reader that also checks from when the answer counts. */
        <T> Function<ScriptResult, T> checked(Function<ScriptResult, T> reader) {
            return result -> {
                if (answerRead) {
                    checks.fail("an answer is read once", "of " + instance.name());
                }
                answerRead = true;
                if (sentAt != 0 && result.sentAt() != sentAt) {
                    checks.fail(
                            "an answer counts from the last sending of its command",
                            instance.name() + " counts from " + (result.sentAt() - sentAt) / 1_000 + " us after it");
                }
                return reader.apply(result);
            };
        }

        /** Returns a receiver of an answer after the timeout that also checks that there has been one. */
        <T> Consumer<T> checkedLate(Consumer<? super T> late) {
            wantsLateAnswer = true;
            return result -> {
                if (!ended) {
                    checks.fail("an answer is late after the end of its call", "of " + instance.name());
                }
                wantsLateAnswer = false;
                late.accept(result);
            };
        }

        private void ended(@Nullable Throwable thrown) {
            ended = true;
            calls.remove(this);
            if (thrown == null) {
                if (isUnconfirmed) {
                    checks.fail("a write counts when replicas have confirmed it", "of " + instance.name());
                }
            } else if (RedisFailure.of(thrown).kind() == Kind.NO_ANSWER
                    && String.valueOf(thrown.getMessage()).contains("no answer from Redis within ")) {
                timedOut(world.now() - begunAt);
            }
        }

        private void timedOut(long after) {
            if (after < limit() - SLACK) {
                checks.fail(
                        "a command has its whole timeout",
                        instance.name() + " waits " + TimeUnit.NANOSECONDS.toMillis(after) + " ms");
            } else if (hasTimeout
                    && answerArrivedAt < world.now() - READ_SOON
                    && !(isPausedAtTheEnd() && after <= limit() + UNNOTICED_PAUSE + SLACK)) {
                checks.fail(
                        "an answer that has arrived is not a timeout",
                        instance.name() + " had an answer "
                                + TimeUnit.NANOSECONDS.toMillis(world.now() - answerArrivedAt) + " ms ago");
            }
        }

        /** Returns whether the process stood still after the timeout was due. The first check of the timeout may have been before that. */
        private boolean isPausedAtTheEnd() {
            return network.process.pausedAt - begunAt >= limit();
        }

        private boolean isOverdue() {
            long first = isFirst ? settings.firstConnectTimeout().toNanos() : 0;
            return !ended
                    && world.now() - begunAt > limit() + first + SLACK
                    && Trouble.ranSince(network.process, begunAt);
        }

        private long limit() {
            return network.process.inWorldTime(settings.commandTimeout().toNanos());
        }
    }

    /** Someone who listens to a channel. */
    private final class Listener {

        private final @Nullable String place;
        private final long since = world.now();
        private final Consumer<String> onMessage;
        private final List<String> heard = new ArrayList<>();
        private boolean isReady;

        Listener(@Nullable String place, Consumer<String> onMessage) {
            this.place = place;
            this.onMessage = onMessage;
        }

        void hear(String message) {
            heard.add(message);
            onMessage.accept(message);
        }

        boolean isFor(String message) {
            return place == null || place.equals(message.split(" ", 2)[0]);
        }
    }

    private final WireGateway gateway;
    private final Instance instance;
    private final Network network;
    private final World world;
    private final ConnectionSettings settings;
    private final Checks checks;
    private final long startedAt;
    private final Set<Call> calls = new LinkedHashSet<>();
    private final Map<String, List<Listener>> listeners = new LinkedHashMap<>();
    /** The connection that has last confirmed a channel. */
    private final Map<String, WireSocket> confirmedBy = new HashMap<>();
    /** When the newest connection that has confirmed a channel was opened. What an older one confirms later, the client ignores. */
    private long newestOpenedAt = Long.MIN_VALUE;

    private final long[] attemptEndedAt = {Long.MIN_VALUE / 2, Long.MIN_VALUE / 2};
    private final boolean[] attempts = new boolean[2];
    private @Nullable Call sending;
    private boolean connected;
    /** When the client first subscribed, and so began to open its connection for messages. */
    private long listensSince = Long.MAX_VALUE;

    private boolean isClosed;

    WireChecks(WireGateway gateway, Instance instance, Network network, ConnectionSettings settings, Checks checks) {
        this.gateway = gateway;
        this.instance = instance;
        this.network = network;
        this.world = network.world();
        this.settings = settings;
        this.checks = checks;
        this.startedAt = world.now();
        world.plan(world.self, ROUND, this::look);
    }

    // Calls

    <T> CompletableFuture<T> call(
            List<String> keys, List<String> args, boolean hasTimeout, Function<Call, CompletableFuture<T>> begin) {
        List<String> words = new ArrayList<>(keys);
        words.addAll(args);
        Call call = new Call(words, hasTimeout);
        calls.add(call);
        CompletableFuture<T> answer = during(call, () -> begin.apply(call));
        answer.whenComplete((value, failure) -> call.ended(failure));
        return answer;
    }

    private <T> T during(@Nullable Call call, java.util.function.Supplier<T> task) {
        Call before = sending;
        sending = call;
        try {
            return task.get();
        } finally {
            sending = before;
        }
    }

    /** Called when a command is written. Returns the call that it belongs to, if it is known. */
    @Nullable
    Call sent(WireSocket socket, List<String> command) {
        if (command.get(0).equals("WAIT")) {
            return sending;
        }
        if (!command.get(0).startsWith("EVAL")) {
            return null;
        }
        Call call = sending != null ? sending : waitingForConnection(command.subList(3, command.size()));
        if (call != null) {
            if (call.ended) {
                checks.fail("nothing is sent after the wait for an answer", instance.name() + " sends " + command);
            }
            call.sentAt = network.process.nanoTime();
            call.sentOver = socket;
        }
        return call;
    }

    private @Nullable Call waitingForConnection(List<String> words) {
        return calls.stream()
                .filter(call -> call.sentAt == 0 && call.words.equals(words))
                .findFirst()
                .orElse(null);
    }

    // What the client reads

    void read(WireSocket socket, Frame frame) {
        List<String> words = frame.message;
        if (words.isEmpty()) {
            Call call = frame.call;
            boolean isLate = call != null && call.ended && !call.answerRead;
            during(call, () -> {
                socket.receive(frame);
                return null;
            });
            if (call != null && isLate && call.answerRead && call.wantsLateAnswer) {
                checks.fail("a late answer reaches its caller", "of " + instance.name());
            }
            return;
        }
        String channel = words.get(1);
        List<Listener> before = List.copyOf(listeners.getOrDefault(channel, List.of()));
        boolean isMessage = words.get(0).equals("message");
        boolean isConfirmed = words.get(0).equals("subscribe");
        WireSocket confirmed = confirmedBy.getOrDefault(channel, socket);
        boolean isLatest = newestOpenedAt <= socket.openedAt;
        if (isConfirmed && isLatest) {
            newestOpenedAt = socket.openedAt;
            if (!before.isEmpty()) {
                confirmedBy.put(channel, socket);
            }
        }
        List<Listener> ready =
                before.stream().filter(listener -> listener.isReady).toList();
        before.forEach(listener -> listener.heard.clear());
        socket.receive(frame);
        List<Listener> after = listeners.getOrDefault(channel, List.of());
        for (Listener listener : before) {
            if (!after.contains(listener)) {
                continue;
            }
            if (isMessage) {
                String message = words.get(2);
                long times = listener.heard.stream().filter(message::equals).count();
                if (times != (listener.isFor(message) ? 1 : 0)) {
                    checks.fail(
                            "a message reaches each of its listeners once",
                            instance.name() + " hears " + times + " times of " + message);
                }
            } else if (isConfirmed
                    && isLatest
                    && !confirmed.equals(socket)
                    && ready.contains(listener)
                    && !listener.heard.contains(ReleaseSignals.MISSED)) {
                checks.fail(
                        "listeners are told that messages may be missing", instance.name() + " listens to " + channel);
            }
        }
    }

    /** Called when the client has learned that a connection has ended. */
    void ended(WireSocket socket) {
        if (calls.stream().anyMatch(call -> socket.equals(call.sentOver))) {
            checks.fail("a command ends with its connection", "of " + instance.name());
        }
    }

    // Listeners

    ReleaseSignals signals(ReleaseSignals real) {
        return new ReleaseSignals() {
            @Override
            public boolean areInUse() {
                return real.areInUse();
            }

            @Override
            public boolean isSubscribed(String channel) {
                return real.isSubscribed(channel);
            }

            @Override
            public Subscription subscribe(String channel, @Nullable String place, Consumer<String> onMessage) {
                listensSince = Math.min(listensSince, world.now());
                Listener listener = new Listener(place, onMessage);
                listeners.computeIfAbsent(channel, name -> new ArrayList<>()).add(listener);
                Subscription subscription = real.subscribe(channel, place, listener::hear);
                subscription.ready().thenRun(() -> listener.isReady = true);
                return new Subscription() {
                    @Override
                    public CompletionStage<Void> ready() {
                        return subscription.ready();
                    }

                    @Override
                    public void cancel(long lingerNanos) {
                        leave(channel, listener);
                        subscription.cancel(lingerNanos);
                    }
                };
            }
        };
    }

    private void leave(String channel, Listener listener) {
        List<Listener> present = listeners.get(channel);
        if (present != null && present.remove(listener) && present.isEmpty()) {
            listeners.remove(channel);
            confirmedBy.remove(channel);
        }
    }

    boolean isListening() {
        return !listeners.isEmpty();
    }

    // Attempts to connect

    void attemptBegins(boolean forMessages) {
        int line = forMessages ? 1 : 0;
        // A connection for commands may also be one that waits for replicas.
        boolean isPaced = forMessages || instance.minReplicas() == 0;
        long pause = world.now() - attemptEndedAt[line];
        // An attempt without a reason for its failure is repeated at once, but only once.
        boolean isRepeated = attempts[line];
        attempts[line] = false;
        if (isPaced
                && !isRepeated
                && pause < network.process.inWorldTime(settings.reconnectDelay().toNanos()) - SLACK / 20) {
            checks.fail("attempts to connect are paced", instance.name() + " after " + pause / 1_000 + " us");
        }
    }

    void attemptEnds(boolean forMessages, boolean isRepeated) {
        int line = forMessages ? 1 : 0;
        attempts[line] = isRepeated;
        attemptEndedAt[line] = world.now();
        connected |= !forMessages;
    }

    // Rounds

    void closes() {
        isClosed = true;
    }

    /** Looks a moment later, because an attempt to connect that is interrupted ends in its own thread. */
    void closed() {
        world.plan(network.process, SLACK, () -> {
            if (gateway.commands().isOpen() || gateway.messages().isOpen()) {
                checks.fail("a closed client has no connection", instance.name());
            }
        });
    }

    private void look() {
        if (isClosed || network.process.dead) {
            return;
        }
        for (Call call : calls) {
            if (call.isOverdue()) {
                checks.fail("a command ends with its timeout", "of " + instance.name());
            }
        }
        if (world.now() - startedAt > SETTLED
                && checks.trouble.isWell(instance, SETTLED)
                && checks.trouble.isCalmAndHears(instance)) {
            lookAtConnections();
        }
        world.plan(world.self, ROUND, this::look);
    }

    private void lookAtConnections() {
        boolean listens = world.now() - listensSince > SETTLED;
        if (!gateway.commands().isOpen() || (listens && !gateway.messages().isOpen())) {
            checks.fail("a client connects again", instance.name() + " has no connection");
            return;
        }
        int most = instance.minReplicas() == 0 ? 1 : 2;
        if (gateway.commands().sockets.size() > most
                || gateway.messages().sockets.size() > 1) {
            checks.fail("a client closes connections that it has replaced", instance.name());
        }
        listeners.forEach((channel, present) -> {
            boolean hears = !instance.subscribes()
                    || present.stream().allMatch(listener -> world.now() - listener.since < SETTLED)
                    || gateway.messages().sockets.stream().anyMatch(socket -> socket.isSubscribed(channel));
            if (!hears) {
                checks.fail("a client hears what it listens to", instance.name() + " and " + channel);
            }
        });
    }
}
