package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.lease.Ticker;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A run of a script.
 *
 * @param <T> what the caller gets of its answer
 */
final class ScriptCall<T> extends Call<List<Object>, T> {

    /** What follows a script's answer on the same connection: null if the answer counts, else what must succeed for it to count. */
    @FunctionalInterface
    interface Confirmation
            extends BiFunction<RedisClusterAsyncCommands<String, String>, List<Object>, @Nullable CompletionStage<?>> {}

    private final Script script;
    private final List<String> keys;
    private final List<String> args;
    private final Function<ScriptResult, T> reader;
    private final @Nullable Confirmation confirmation;

    ScriptCall(
            Ticker clock,
            Commands sender,
            Script script,
            List<String> keys,
            List<String> args,
            Function<ScriptResult, T> reader,
            @Nullable Confirmation confirmation) {
        super(clock, sender);
        this.script = script;
        this.keys = keys;
        this.args = args;
        this.reader = reader;
        this.confirmation = confirmation;
    }

    @Override
    String key() {
        return keys.get(0);
    }

    @Override
    boolean isScript() {
        return true;
    }

    @Override
    CompletionStage<List<Object>> write(RedisClusterAsyncCommands<String, String> redis, boolean asText) {
        return redis.dispatch(
                asText ? CommandType.EVAL : CommandType.EVALSHA,
                new ScriptOutput(),
                arguments(asText ? script.text() : script.sha()));
    }

    private CommandArgs<String, String> arguments(String called) {
        CommandArgs<String, String> all =
                new CommandArgs<>(StringCodec.UTF8).add(called).add(keys.size());
        for (String key : keys) {
            all.addKey(key);
        }
        for (String arg : args) {
            all.addValue(arg);
        }
        return all;
    }

    @Override
    @Nullable
    CompletionStage<?> confirmation(RedisClusterAsyncCommands<String, String> redis, List<Object> answer) {
        return confirmation == null ? null : confirmation.apply(redis, answer);
    }

    @Override
    T read(List<Object> answer) {
        return reader.apply(new ScriptResult(answer, sentAt()));
    }
}
