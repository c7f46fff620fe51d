package dev.holdfast.lock.internal.connection;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.CommandWrapper;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A command and the future of its answer. It records whether and when the command was sent, and whether Redis has already written something.
 *
 * <p>Sending and the end of the wait exclude each other. After the wait has expired, nothing more is sent, so the caller can take the command back.
 *
 * @param <T> the type of the caller's result
 */
final class PendingCommand<T> extends CompletableFuture<T> {

    /**
     * A step that follows the answer on the same connection. It returns null if the answer counts already, or a stage that must succeed for the
     * answer to count.
     */
    @FunctionalInterface
    interface Confirmation
            extends BiFunction<StatefulConnection<String, String>, List<Object>, @Nullable CompletionStage<?>> {}

    private final Commands sender;
    private final CommandType type;
    private final @Nullable Script script;
    private final List<String> keys;
    private final List<String> args;
    private final Function<ScriptResult, T> reader;
    private final @Nullable Confirmation confirmation;
    private volatile @Nullable StatefulConnection<String, String> connection;
    private boolean sent;
    private volatile boolean written;
    private volatile Consumer<? super T> late = result -> {};
    private long sentAt;

    /** The time at which the wait for an answer ends. Set before the command is added to {@link CommandTimeouts}. */
    long expiresAt;

    /**
     * Creates a command that is not sent yet.
     *
     * @param type the type of the command, which is {@link CommandType#EVALSHA} for a script
     * @param script the script, or null for another command
     * @param reader converts the answer into the caller's result
     * @param confirmation the step that follows the answer, or null if every answer counts
     */
    PendingCommand(
            Commands sender,
            CommandType type,
            @Nullable Script script,
            List<String> keys,
            List<String> args,
            Function<ScriptResult, T> reader,
            @Nullable Confirmation confirmation) {
        this.sender = sender;
        this.type = type;
        this.script = script;
        this.keys = keys;
        this.args = args;
        this.reader = reader;
        this.confirmation = confirmation;
    }

    /** Returns the key that determines the node, or null for a command that any node can answer. */
    @Nullable
    String key() {
        return keys.isEmpty() ? null : keys.get(0);
    }

    /**
     * Sends the command, unless the wait has already ended. Sending the command again updates the moment of sending, because the first one was not
     * executed.
     *
     * @param over the connection whose node gets the command
     */
    synchronized void send(Sent command, StatefulConnection<String, String> over) {
        if (isDone()) {
            return;
        }
        sent = true;
        sentAt = sender.now();
        connection = over;
        try {
            // Lettuce's asynchronous commands would wrap the command a second time.
            command.node.dispatch(command);
        } catch (RuntimeException refused) {
            command.completeExceptionally(refused);
        }
    }

    /** Returns the connection over which the command was sent. */
    StatefulConnection<String, String> connection() {
        return Objects.requireNonNull(connection);
    }

    CommandType type(boolean asText) {
        return asText ? CommandType.EVAL : type;
    }

    CommandArgs<String, String> arguments(boolean asText) {
        CommandArgs<String, String> all = new CommandArgs<>(StringCodec.UTF8);
        if (script != null) {
            all.add(asText ? script.text() : script.sha()).add(keys.size());
        }
        // By index, because an iterator of these lists would be an object more.
        for (int i = 0; i < keys.size(); i++) {
            all.addKey(keys.get(i));
        }
        for (int i = 0; i < args.size(); i++) {
            all.addValue(args.get(i));
        }
        return all;
    }

    /** Starts the step that must succeed on the same connection for the answer to count, or returns null if there is no such step. */
    @Nullable
    CompletionStage<?> confirmation(StatefulConnection<String, String> node, List<Object> answer) {
        return confirmation == null ? null : confirmation.apply(node, answer);
    }

    /** Sets the receiver of an answer that comes after the end of the wait. */
    void onLateAnswer(Consumer<? super T> receiver) {
        late = receiver;
    }

    void answered(List<Object> answer) {
        try {
            T result = read(answer);
            if (!complete(result)) {
                late.accept(result);
            }
        } catch (RuntimeException unreadable) {
            completeExceptionally(unreadable);
        }
    }

    /** Converts the answer, together with the moment just before the command was written to its open connection. */
    private synchronized T read(List<Object> answer) {
        return reader.apply(new ScriptResult(answer, sentAt));
    }

    /** Records that Redis has executed the command. A further step decides whether the answer counts. */
    void written() {
        written = true;
    }

    /**
     * Ends the wait for an answer.
     *
     * @param limit how long it lasted, and what else a user should know about that time
     */
    synchronized void expire(String limit) {
        fail(RedisFailure.timedOut(sent, limit));
    }

    /** Fails the command. Notifies the sender, which decides whether the failure makes the connection suspect. */
    void fail(RedisFailure failure) {
        StatefulConnection<?, ?> used = connection;
        if (completeExceptionally(failure) && used != null) {
            sender.failed(used, failure, written);
        }
    }

    /**
     * A command on its way to one node. Tells the {@link PendingCommand} to which it belongs how it ended, but only after {@link #sent()}: a command may
     * fail while it is being sent, when its sender and Lettuce still hold locks. This is one object, where a future of Lettuce and the callback to it
     * are four.
     */
    static final class Sent extends CommandWrapper<String, String, List<Object>> {

        private static final AtomicIntegerFieldUpdater<Sent> STEPS =
                AtomicIntegerFieldUpdater.newUpdater(Sent.class, "steps");

        private static final int ALL_STEPS = 2;

        private final Commands sender;
        final PendingCommand<?> call;
        final StatefulConnection<String, String> node;
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
        Sent(
                Commands sender,
                PendingCommand<?> call,
                StatefulConnection<String, String> node,
                boolean asText,
                int redirections) {
            super(new Command<>(call.type(asText), new Answer(), call.arguments(asText)));
            this.sender = sender;
            this.call = call;
            this.node = node;
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
                sender.ended(this, failure);
            }
        }
    }

    /**
     * Reads the answer of a script or another command: a number, a text, a null value, or a list of these. A single value becomes a list with one
     * element. The elements of a list in a list, which only SCAN returns, become elements of the outer list. The corresponding class of Lettuce allocates
     * a stack for every answer.
     */
    private static final class Answer extends CommandOutput<String, String, List<Object>> {

        private @Nullable List<@Nullable Object> list;

        @SuppressWarnings("NullAway")
        Answer() {
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
        @SuppressWarnings({"unchecked", "NullAway"})
        public @Nullable List<Object> get() {
            return (List<Object>) (List<?>) list;
        }
    }
}
