package dev.holdfast.lock.explore;

import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisFailure.Kind;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.ReleaseSignals;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.connection.ScriptResult;
import dev.holdfast.lock.simulation.process.MessageChannels;
import dev.holdfast.lock.simulation.process.Subscriber;
import dev.holdfast.lock.test.memory.CommandException;
import dev.holdfast.lock.test.memory.MemoryRedis;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Carries requests, answers, subscriptions and messages between a client and Redis, on two connections. Each connection keeps their order. The
 * situation decides when each of them arrives.
 */
final class Wire implements RedisGateway, MessageChannels.Connection, Subscriber {

    /** How long after the end of its connection a request may still be executed. */
    private static final long LATEST = TimeUnit.SECONDS.toNanos(4);

    /** A script that was sent and has no answer yet. */
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
        boolean answered;

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

        /** Returns whether Redis has run it to its end. */
        boolean wasRun() {
            return values != null;
        }

        /** Returns what Redis has answered; empty if it has not, or has refused. */
        List<Object> values() {
            return values == null ? List.of() : values;
        }

        String outcome() {
            return values == null ? String.valueOf(refusal) : values.toString();
        }

        private void answered() {
            answered = true;
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

    /** A message in transit to the client. Without a text, it answers a subscription. */
    record Message(String channel, @Nullable String text, boolean isRefusal) {}

    private final Situation situation;
    private final ClientProcess process;
    private final ConnectionSettings settings;
    private final Timer timer;

    /** The requests that the server has not executed. */
    final Deque<Request<?>> requests = new ArrayDeque<>();
    /** The requests whose answers are in transit. */
    final Deque<Request<?>> replies = new ArrayDeque<>();
    /** The requests whose connection has ended before they were executed. */
    final List<Request<?>> strays = new ArrayList<>();
    /** The channels whose subscription the server has not received. */
    final Deque<String> subscriptions = new ArrayDeque<>();
    /** The messages in transit to the client. */
    final Deque<Message> messages = new ArrayDeque<>();

    private final MessageChannels channels;
    private long interruptions;
    private boolean closed;

    Wire(Situation situation, ClientProcess process, ConnectionSettings settings, Timer timer) {
        this.situation = situation;
        this.process = process;
        this.settings = settings;
        this.timer = timer;
        this.channels = new MessageChannels(timer, this);
    }

    boolean isQuiet() {
        return requests.isEmpty() && replies.isEmpty() && subscriptions.isEmpty() && messages.isEmpty();
    }

    int inTransit() {
        return 7 * requests.size() + 5 * replies.size() + 3 * subscriptions.size() + messages.size();
    }

    // --- Commands

    /** Runs a script. The connection ends with a timeout, so that no answer follows it. */
    @Override
    public <T> CompletableFuture<T> run(
            Script script,
            List<String> keys,
            List<String> args,
            Function<ScriptResult, T> reader,
            Consumer<? super T> late) {
        if (closed || process.dead) {
            return CompletableFuture.failedFuture(
                    RedisFailure.simulated(Kind.NOT_SENT, "not sent: no connection to Redis"));
        }
        Request<T> request = new Request<>(script, keys, args, reader);
        requests.add(request);
        return request.answer;
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
    public CompletableFuture<List<Object>> command(String name, List<String> keys, String... args) {
        List<String> all = new ArrayList<>(keys);
        all.addAll(List.of(args));
        return CompletableFuture.completedFuture(MemoryRedis.asList(
                situation.server.command(name.toLowerCase(Locale.ROOT), all.toArray(String[]::new))));
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
        request.strayUntil = process.nanoTime() + LATEST;
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
    public void listen(String channel) {
        subscriptions.add(channel);
    }

    @Override
    public void leave(String channel) {
        subscriptions.remove(channel);
        situation.server.subscribers.remove(channel, this);
    }

    /** The server receives the oldest subscription. */
    void receiveSubscription() {
        String channel = subscriptions.remove();
        if (process.hears) {
            situation.server.subscribers.add(channel, this);
        }
        messages.add(new Message(channel, null, !process.hears));
    }

    /** The server has sent a message. */
    @Override
    public void send(String channel, String text) {
        if (!process.dead) {
            messages.add(new Message(channel, text, false));
        }
    }

    /** The oldest message arrives. */
    void hear() {
        Message message = messages.remove();
        if (message.text != null) {
            channels.heard(message.channel, message.text);
        } else if (message.isRefusal) {
            channels.refused(message.channel);
        } else {
            channels.confirmed(message.channel);
        }
    }

    /** Ends the connection for messages, and opens another. */
    void cutMessages() {
        situation.server.subscribers.forget(this);
        messages.clear();
        subscriptions.clear();
        channels.interrupted();
        subscriptions.addAll(channels.names());
    }

    boolean hasChannels() {
        return !channels.names().isEmpty();
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
        return channels;
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
        channels.close();
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
            situation.server.subscribers.forget(this);
        }
    }
}
