package dev.holdfast.lock.redis;

import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One way to reach one kind of Redis, and to look at it from outside.
 *
 * @param source the way
 * @param cliOf a look at the server that has a key
 * @param closing ends what was started for it
 */
record Topology(Supplier<RedisSource> source, Function<String, RedisCommands<String, String>> cliOf, Runnable closing)
        implements AutoCloseable {

    static Topology of(Supplier<RedisSource> source, RedisServer server, Runnable closing) {
        return new Topology(source, key -> server.cli(), closing);
    }

    @Override
    public void close() {
        closing.run();
    }
}
