package dev.holdfast.lock.explore;

import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisFailure.Kind;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.connection.ScriptResult;
import dev.holdfast.lock.internal.waiting.ReleaseSignals;
import dev.holdfast.lock.test.memory.CommandException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What is on its way between a client and Redis: requests and answers on one connection, subscriptions and messages on another. On each, everything
 * arrives in order. The situation decides when.
 */
final class Wire implements RedisGateway, ReleaseSignals {

    /** How long after the end of its connection a request may still be executed. */
    private static final long LATEST = TimeUnit.SECONDS.toNanos(4);

    /** A script on its way. */
    final class Request<T> {
        final Script script;
        final List<String> keys;
        final List<String> args;
        private final Function<ScriptResult, T> reader;
        private final CompletableFuture<T> answer = new CompletableFuture<>();
        private final long sentAt = process.nanoTime();
        private final Timer.Timeout overdue;
        private @Nullable List<Object> values;
        private @Nullable RedisFailure refusal;
        /** Until when it may be executed, if its connection has ended. */
        long strayUntil;

        boolean isRepeated;

        private Request(Script script, List<String> keys, List<String> args, Function<ScriptResult, T> reader) {
            this.script = script;
            this.keys = keys;
            this.args = args;
            this.reader = reader;
            this.overdue = timer.after(settings.commandTimeout().toNanos(), this::expire);
        }

        /** Executes the request at the server. */
        void execute() {
            try {
                values = situation.server.run(script, keys, args);
            } catch (RedisFailure refused) {
                refusal = refused;
            } catch (CommandException refused) {
                refusal = RedisFailure.simulated(Kind.REFUSED, "Redis refused the command: " + refused.getMessage());
            }
        }

        String outcome() {
            return values == null ? String.valueOf(refusal) : values.toString();
        }

        private void answered() {
            overdue.cancel();
            if (refusal != null) {
                answer.completeExceptionally(refusal);
                return;
            }
            T read;
            try {
                read = reader.apply(new ScriptResult(values == null ? List.of() : values, sentAt));
            } catch (RuntimeException unreadable) {
                answer.completeExceptionally(unreadable);
                return;
            }
            answer.complete(read);
        }

        private void expire() {
            requests.remove(this);
            replies.remove(this);
            if (values == null && refusal == null) {
                stray(this);
            }
            fail(this, "no answer from Redis within " + settings.commandTimeout());
            cutCommands();
        }
    }

    private static final class Channel {
        private final List<Consumer<String>> listeners = new ArrayList<>();
        private final Map<String, Consumer<String>> places = new LinkedHashMap<>();
        private final CompletableFuture<Void> ready = new CompletableFuture<>();
        private boolean confirmed;
        private Timer.@Nullable Timeout end;

        boolean isUnused() {
            return listeners.isEmpty() && places.isEmpty();
        }

        void heard(String message) {
            int end = message.indexOf(' ');
            Consumer<String> place = places.get(end < 0 ? message : message.substring(0, end));
            if (place != null) {
                place.accept(message);
            }
            List.copyOf(listeners).forEach(listener -> listener.accept(message));
        }

        void missed() {
            List.copyOf(places.values()).forEach(place -> place.accept(MISSED));
            List.copyOf(listeners).forEach(listener -> listener.accept(MISSED));
        }
    }

    /** What is on its way to the client on the connection for messages: a message, or the answer to a subscription if it has no text. */
    record Message(String channel, @Nullable String text, boolean isRefusal) {}

    private final Situation situation;
    private final ClientProcess process;
    private final ConnectionSettings settings;
    private final Timer timer;

    /** The requests that the server has not executed. */
    final Deque<Request<?>> requests = new ArrayDeque<>();
    /** The requests whose answers are on their way. */
    final Deque<Request<?>> replies = new ArrayDeque<>();
    /** The requests whose connection has ended before they were executed. */
    final List<Request<?>> strays = new ArrayList<>();
    /** The channels to which a subscription is on its way. */
    final Deque<String> subscriptions = new ArrayDeque<>();
    /** What is on its way to the client on the connection for messages. */
    final Deque<Message> messages = new ArrayDeque<>();

    private final Map<String, Channel> channels = new LinkedHashMap<>();
    private long interruptions;
    private boolean closed;

    Wire(Situation situation, ClientProcess process, ConnectionSettings settings, Timer timer) {
        this.situation = situation;
        this.process = process;
        this.settings = settings;
        this.timer = timer;
    }

    boolean isQuiet() {
        return requests.isEmpty() && replies.isEmpty() && subscriptions.isEmpty() && messages.isEmpty();
    }

    // --- Commands

    @Override
    public <T> CompletableFuture<T> run(
            Script script, List<String> keys, List<String> args, Function<ScriptResult, T> reader) {
        if (closed || process.dead) {
            return CompletableFuture.failedFuture(
                    RedisFailure.simulated(Kind.NOT_SENT, "not sent: no connection to Redis"));
        }
        Request<T> request = new Request<>(script, keys, args, reader);
        requests.add(request);
        return request.answer;
    }

    /** Runs a script. The connection ends with a timeout, so that no answer follows it. */
    @Override
    public <T> CompletableFuture<T> run(
            Script script,
            List<String> keys,
            List<String> args,
            Function<ScriptResult, T> reader,
            Consumer<? super T> late) {
        return run(script, keys, args, reader);
    }

    @Override
    public <T> CompletableFuture<T> runReplicated(
            Script script,
            List<String> keys,
            List<String> args,
            int replicas,
            Predicate<List<Object>> isWrite,
            Function<ScriptResult, T> reader) {
        return run(script, keys, args, reader);
    }

    /** Runs a plain command at once: no promise depends on its order. */
    @Override
    @SuppressWarnings("unchecked")
    public CompletableFuture<List<Object>> command(String name, List<String> keys, String... args) {
        List<String> all = new ArrayList<>(keys);
        all.addAll(List.of(args));
        Object answer = situation.server.command(name.toLowerCase(Locale.ROOT), all.toArray(String[]::new));
        return CompletableFuture.completedFuture(
                answer instanceof List<?> list ? (List<Object>) list : Collections.singletonList(answer));
    }

    /** The server executes the oldest request. */
    void execute() {
        Request<?> request = requests.remove();
        request.execute();
        replies.add(request);
    }

    /** The oldest answer arrives. */
    void answer() {
        replies.remove().answered();
    }

    private void stray(Request<?> request) {
        request.strayUntil = situation.now() + LATEST;
        strays.add(request);
    }

    private void fail(Request<?> request, String message) {
        request.overdue.cancel();
        process.execute(() -> request.answer.completeExceptionally(RedisFailure.simulated(Kind.NO_ANSWER, message)));
    }

    /** Ends the connection for commands, and opens another. */
    void cutCommands() {
        interruptions++;
        List<Request<?>> lost = new ArrayList<>(replies);
        lost.addAll(requests);
        requests.forEach(this::stray);
        requests.clear();
        replies.clear();
        lost.forEach(request -> fail(request, "no answer from Redis: the connection ended"));
    }

    // --- Messages

    @Override
    public boolean isSubscribed(String channel) {
        Channel present = channels.get(channel);
        return present != null && present.confirmed;
    }

    @Override
    public Subscription subscribe(String channel, @Nullable String place, Consumer<String> onMessage) {
        Channel present = channels.get(channel);
        Channel joined = present == null ? new Channel() : present;
        if (place == null) {
            joined.listeners.add(onMessage);
        } else {
            joined.places.put(place, onMessage);
        }
        if (present == null) {
            channels.put(channel, joined);
            subscriptions.add(channel);
        }
        return new Subscription() {
            @Override
            public CompletionStage<Void> ready() {
                return joined.ready;
            }

            @Override
            public void cancel(long lingerNanos) {
                if (place == null) {
                    joined.listeners.remove(onMessage);
                } else {
                    joined.places.remove(place, onMessage);
                }
                if (joined.isUnused() && lingerNanos > 0) {
                    linger(channel, joined, lingerNanos);
                } else if (joined.isUnused()) {
                    end(channel, joined);
                }
            }
        };
    }

    private void linger(String channel, Channel left, long nanos) {
        if (channels.get(channel) == left && left.end == null && !closed) {
            left.end = timer.after(nanos, () -> end(channel, left));
        }
    }

    private void end(String channel, Channel left) {
        if (channels.get(channel) != left) {
            return;
        }
        left.end = null;
        if (left.isUnused()) {
            channels.remove(channel);
            subscriptions.remove(channel);
            situation.server.unsubscribe(channel, this);
        }
    }

    /** The server receives the oldest subscription. */
    void receiveSubscription() {
        String channel = subscriptions.remove();
        if (process.hears) {
            situation.server.subscribe(channel, this);
        }
        messages.add(new Message(channel, null, !process.hears));
    }

    /** The server has sent a message. */
    void sent(String channel, String text) {
        if (!process.dead) {
            messages.add(new Message(channel, text, false));
        }
    }

    /** The oldest message arrives. */
    void hear() {
        Message message = messages.remove();
        Channel channel = channels.get(message.channel);
        if (channel == null) {
            return;
        }
        if (message.text != null) {
            channel.heard(message.text);
        } else if (message.isRefusal) {
            channel.ready.completeExceptionally(RedisFailure.simulated(Kind.REFUSED, "NOPERM no right to subscribe"));
        } else {
            channel.confirmed = true;
            if (!channel.ready.complete(null)) {
                channel.missed();
            }
        }
    }

    /** Ends the connection for messages, and opens another. */
    void cutMessages() {
        situation.server.forget(this);
        messages.clear();
        subscriptions.clear();
        channels.forEach((name, channel) -> {
            channel.confirmed = false;
            subscriptions.add(name);
        });
    }

    boolean hasChannels() {
        return !channels.isEmpty();
    }

    // --- Beginning and end

    @Override
    public CompletableFuture<Void> attempted() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> firstConnected() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public ReleaseSignals signals() {
        return this;
    }

    @Override
    public long interruptions() {
        return interruptions;
    }

    @Override
    public void close() {
        cutCommands();
        cutMessages();
        subscriptions.clear();
        closed = true;
    }

    /** The process has died. */
    void die(boolean isNoticed) {
        requests.forEach(this::stray);
        requests.clear();
        replies.clear();
        messages.clear();
        subscriptions.clear();
        if (isNoticed) {
            situation.server.forget(this);
        }
    }
}
