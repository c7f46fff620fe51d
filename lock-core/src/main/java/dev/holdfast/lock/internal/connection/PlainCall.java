package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.lease.Ticker;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A command that is no script.
 *
 * @param <T> its answer
 */
final class PlainCall<T> extends Call<T, T> {

    private final @Nullable String key;
    private final Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command;

    PlainCall(
            Ticker clock,
            Commands sender,
            @Nullable String key,
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        super(clock, sender);
        this.key = key;
        this.command = command;
    }

    @Override
    @Nullable
    String key() {
        return key;
    }

    @Override
    boolean isScript() {
        return false;
    }

    @Override
    CompletionStage<T> write(RedisClusterAsyncCommands<String, String> redis, boolean asText) {
        return command.apply(redis);
    }

    @Override
    T read(T answer) {
        return answer;
    }
}
