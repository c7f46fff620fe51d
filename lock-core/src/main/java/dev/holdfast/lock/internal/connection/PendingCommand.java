package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.connection.RedisFailure.Kind;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
            extends BiFunction<StatefulRedisConnection<String, String>, List<Object>, @Nullable CompletionStage<?>> {}

    private final Ticker ticker;
    private final CommandType type;
    private final @Nullable Script script;
    private final List<String> keys;
    private final List<String> args;
    private final Function<ScriptResult, T> reader;
    private final @Nullable Confirmation confirmation;
    private volatile @Nullable ReconnectingConnection<StatefulRedisConnection<String, String>> link;
    private volatile @Nullable StatefulRedisConnection<String, String> connection;
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
            Ticker ticker,
            CommandType type,
            @Nullable Script script,
            List<String> keys,
            List<String> args,
            Function<ScriptResult, T> reader,
            @Nullable Confirmation confirmation) {
        this.ticker = ticker;
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
     * @param over what replaces the connection if it is of no use
     */
    synchronized void send(
            RedisCommand<String, String, List<Object>> command,
            ReconnectingConnection<StatefulRedisConnection<String, String>> over,
            StatefulRedisConnection<String, String> open) {
        if (isDone()) {
            return;
        }
        sent = true;
        sentAt = ticker.now();
        link = over;
        connection = open;
        try {
            // Lettuce's asynchronous commands would wrap the command a second time.
            open.dispatch(command);
        } catch (RuntimeException refused) {
            command.completeExceptionally(refused);
        }
    }

    /** Returns the connections to the server that got the command. */
    ReconnectingConnection<StatefulRedisConnection<String, String>> link() {
        return Objects.requireNonNull(link);
    }

    /** Returns the connection over which the command was sent. */
    StatefulRedisConnection<String, String> connection() {
        return Objects.requireNonNull(connection);
    }

    CommandType type(boolean asText) {
        return asText ? CommandType.EVAL : type;
    }

    CommandArgs<String, String> arguments(boolean asText) {
        return new Arguments(script == null ? null : asText ? script.text() : script.sha(), keys, args);
    }

    /**
     * The arguments of a command, which are written to the connection's buffer directly. Lettuce has an object for each argument, encodes it in a buffer
     * of its own, and converts each length to a text first. For an acquisition and its release, this was a third of all that they allocated.
     */
    static final class Arguments extends CommandArgs<String, String> {

        private static final int END_OF_LINE = '\r' << 8 | '\n';

        private final @Nullable String script;
        private final List<String> keys;
        private final List<String> values;

        Arguments(@Nullable String script, List<String> keys, List<String> values) {
            super(StringCodec.UTF8);
            this.script = script;
            this.keys = keys;
            this.values = values;
        }

        @Override
        public int count() {
            return (script == null ? 0 : 2) + keys.size() + values.size();
        }

        @Override
        public void encode(ByteBuf buffer) {
            if (script != null) {
                write(buffer, script);
                write(buffer, keyCount());
            }
            // By index, because an iterator of these lists would be an object more.
            for (int i = 0; i < keys.size(); i++) {
                write(buffer, keys.get(i));
            }
            for (int i = 0; i < values.size(); i++) {
                write(buffer, values.get(i));
            }
        }

        private String keyCount() {
            return keys.size() == 1 ? "1" : Integer.toString(keys.size());
        }

        private static void write(ByteBuf buffer, String text) {
            int length = ByteBufUtil.utf8Bytes(text);
            buffer.writeByte('$');
            writeDigits(buffer, length);
            buffer.writeShort(END_OF_LINE);
            ByteBufUtil.reserveAndWriteUtf8(buffer, text, length);
            buffer.writeShort(END_OF_LINE);
        }

        private static void writeDigits(ByteBuf buffer, int number) {
            if (number > 9) {
                writeDigits(buffer, number / 10);
            }
            buffer.writeByte('0' + number % 10);
        }

        /** Returns the text that Lettuce puts into traces. */
        @Override
        public String toCommandString() {
            Stream<String> first = script == null ? Stream.of() : Stream.of(script, keyCount());
            Stream<String> rest = Stream.concat(
                    keys.stream().map(key -> "key<" + key + ">"),
                    values.stream().map(value -> "value<" + value + ">"));
            return Stream.concat(first, rest).collect(Collectors.joining(" "));
        }
    }

    /** Starts the step that must succeed on the same connection for the answer to count, or returns null if there is no such step. */
    @Nullable
    CompletionStage<?> confirmation(List<Object> answer) {
        return confirmation == null ? null : confirmation.apply(connection(), answer);
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

    /** Fails the command. If the failure says that the connection leads to the wrong server, or to none, the connection is replaced. */
    void fail(RedisFailure failure) {
        StatefulRedisConnection<String, String> used = connection;
        if (completeExceptionally(failure)
                && used != null
                && (RedisFailure.isWrongNode(failure) || (failure.kind() == Kind.NO_ANSWER && !written))) {
            link().suspect(used);
        }
    }
}
