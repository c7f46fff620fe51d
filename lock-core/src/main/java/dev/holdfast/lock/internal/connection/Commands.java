package dev.holdfast.lock.internal.connection;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.CommandWrapper;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands over the connections for one purpose. Scripts are sent by their digest, or as text if the server does not know the digest. In a
 * cluster, each command goes to the node of its key and follows redirections. A command is only sent while its caller waits and never later, because a
 * caller that takes back an unanswered command must be sure that nothing of the command follows.
 */
final class Commands {

    /** The largest number of redirections for one command. Lettuce has the same limit. */
    static final int MOST_REDIRECTIONS = 5;

    final ServerLinks<StatefulRedisConnection<String, String>> links;
    private final boolean isCluster;
    private final KeySlots slots;
    private final CommandTimeouts timeouts;
    private final ReconnectingConnection<?> first;

    /**
     * Creates the commands of a client for one purpose.
     *
     * @param first the client's first connection, whose very first attempt has its own time limit, and reads the topology of a cluster
     */
    Commands(
            ServerLinks<StatefulRedisConnection<String, String>> links,
            boolean isCluster,
            KeySlots slots,
            CommandTimeouts timeouts,
            ReconnectingConnection<?> first) {
        this.links = links;
        this.isCluster = isCluster;
        this.slots = slots;
        this.timeouts = timeouts;
        this.first = first;
    }

    /**
     * Sends a command.
     *
     * @param type the type of the command, which is {@link CommandType#EVALSHA} for a script
     * @param script the script, or null for another command, which has one key or none
     */
    <T> PendingCommand<T> run(
            CommandType type,
            @Nullable Script script,
            List<String> keys,
            List<String> args,
            Function<ScriptResult, T> reader,
            PendingCommand.@Nullable Confirmation confirmation) {
        PendingCommand<T> call =
                new PendingCommand<>(timeouts.ticker(), type, script, keys, args, reader, confirmation);
        StatefulRedisConnection<String, String> open = isCluster ? null : links.any.currentOrNull();
        if (open == null) {
            sendOnceConnected(call);
        } else {
            timeouts.limit(call);
            dispatch(call, false, links.any, open, 0);
        }
        return call;
    }

    /** Sends a command without a key to the server of the given connection. */
    PendingCommand<List<Object>> runAt(
            ReconnectingConnection<StatefulRedisConnection<String, String>> link, CommandType type, List<String> args) {
        PendingCommand<List<Object>> call =
                new PendingCommand<>(timeouts.ticker(), type, null, List.of(), args, ScriptResult::values, null);
        timeouts.limit(call);
        send(call, false, link, null, 0);
        return call;
    }

    private void sendOnceConnected(PendingCommand<?> call) {
        if (!first.isFirstAttempt()) {
            timeouts.limit(call);
            send(call, false, links.to(call.key()), null, 0);
            return;
        }
        first.connection().whenComplete((connection, failure) -> {
            // The timeout begins after the attempt. A machine that is busy at startup is not an outage.
            timeouts.limit(call);
            if (failure == null) {
                send(call, false, links.to(call.key()), null, 0);
            } else {
                call.fail(RedisFailure.classify(failure));
            }
        });
    }

    private void send(
            PendingCommand<?> call,
            boolean asText,
            ReconnectingConnection<StatefulRedisConnection<String, String>> link,
            @Nullable Throwable redirection,
            int redirections) {
        link.connection().whenComplete((open, failure) -> {
            if (failure != null) {
                call.fail(RedisFailure.classify(failure));
                return;
            }
            if (redirection != null && RedisFailure.isAsk(redirection)) {
                // If another command is sent between ASKING and the redirected command, the node redirects again.
                open.async().asking();
            }
            dispatch(call, asText, link, open, redirections);
        });
    }

    private void dispatch(
            PendingCommand<?> call,
            boolean asText,
            ReconnectingConnection<StatefulRedisConnection<String, String>> link,
            StatefulRedisConnection<String, String> open,
            int redirections) {
        Sent command = new Sent(call, asText, redirections);
        call.send(command, link, open);
        command.sent();
    }

    /** Called when a command that was sent has ended. */
    private void ended(Sent command, @Nullable Throwable failure) {
        PendingCommand<?> call = command.call;
        if (failure == null) {
            confirm(call, command.getOutput().get());
        } else if (RedisFailure.isNoScript(failure) && !command.asText) {
            dispatch(call, true, call.link(), call.connection(), command.redirections);
        } else if (RedisFailure.isRedirection(failure) && command.redirections < MOST_REDIRECTIONS) {
            send(call, command.asText, links.redirected(failure), failure, command.redirections + 1);
        } else {
            RedisFailure refusal = RedisFailure.classify(failure);
            call.fail(
                    refusal.isForKeys() && slots.foundBy(String.valueOf(refusal.getMessage()))
                            ? refusal.forNow()
                            : refusal);
        }
    }

    private static void confirm(PendingCommand<?> call, List<Object> value) {
        CompletionStage<?> confirmation;
        try {
            confirmation = call.confirmation(value);
        } catch (RuntimeException refused) {
            confirmation = CompletableFuture.failedFuture(refused);
        }
        if (confirmation == null) {
            call.answered(value);
            return;
        }
        call.written();
        confirmation.whenComplete((confirmed, failure) -> {
            if (failure == null) {
                call.answered(value);
            } else {
                // The script has already written, even though this step failed.
                call.fail(RedisFailure.classify(failure).afterWrite());
            }
        });
    }

    /**
     * A command on its way to one node. Tells the {@link PendingCommand} to which it belongs how it ended, but only after {@link #sent()}: a command may
     * fail while it is being sent, when Lettuce and the {@link PendingCommand} still hold locks. This is one object, where a future of Lettuce and the
     * callback to it are four.
     */
    private final class Sent extends CommandWrapper<String, String, List<Object>> {

        private static final AtomicIntegerFieldUpdater<Sent> STEPS =
                AtomicIntegerFieldUpdater.newUpdater(Sent.class, "steps");

        private static final int ALL_STEPS = 2;

        final PendingCommand<?> call;
        final boolean asText;
        final byte redirections;

        /** Counts the end of the sending and the end of the command, which may come in any order. */
        @SuppressWarnings("unused") // Only by its updater.
        private volatile int steps;

        private @Nullable Throwable failure;

        /**
         * Creates a command that is about to be sent.
         *
         * @param asText whether it sends a script as text instead of its digest
         * @param redirections how often the command has been redirected
         */
        Sent(PendingCommand<?> call, boolean asText, int redirections) {
            super(new Command<>(call.type(asText), new Reply(), call.arguments(asText)));
            this.call = call;
            this.asText = asText;
            this.redirections = (byte) redirections;
        }

        /** Called when the sending has ended. */
        void sent() {
            step();
        }

        @Override
        protected void doOnComplete() {
            if (getOutput().hasError()) {
                failure = new RedisCommandExecutionException(getOutput().getError());
            }
            step();
        }

        @Override
        protected void doOnError(Throwable thrown) {
            failure = thrown;
            step();
        }

        private void step() {
            if (STEPS.incrementAndGet(this) == ALL_STEPS) {
                ended(this, failure);
            }
        }
    }

    /**
     * Reads the answer of a script or another command: a number, a text, a null value, or a list of these. A single value becomes a list with one
     * element. The elements of a list in a list, which only SCAN returns, become elements of the outer list. The corresponding class of Lettuce
     * allocates a stack for every answer.
     */
    private static final class Reply extends CommandOutput<String, String, List<Object>> {

        private @Nullable List<@Nullable Object> list;

        @SuppressWarnings("NullAway") // Lettuce does not declare that an output begins without a value.
        Reply() {
            super(StringCodec.UTF8, null);
        }

        @Override
        public void set(@Nullable ByteBuffer bytes) {
            add(bytes == null ? null : codec.decodeValue(bytes));
        }

        @Override
        public void set(long number) {
            add(number);
        }

        @Override
        public void multi(int count) {
            if (list == null) {
                list = new ArrayList<>(Math.max(0, count));
            }
        }

        private void add(@Nullable Object value) {
            if (list == null) {
                list = Collections.singletonList(value);
            } else {
                list.add(value);
            }
        }

        @Override
        @SuppressWarnings({"unchecked", "NullAway"}) // Lettuce declares neither a null value nor null elements.
        public @Nullable List<Object> get() {
            return (List<Object>) (List<?>) list;
        }
    }
}
