package dev.holdfast.lock.redis;

import dev.holdfast.lock.testing.RedisServer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One way to reach one kind of Redis, and to look at it from outside.
 *
 * @param source the way
 * @param serverOf the server that has a key
 * @param closing ends what was started for it
 */
record Topology(Supplier<RedisSource> source, Function<String, RedisServer> serverOf, Runnable closing)
        implements AutoCloseable {

    static Topology of(Supplier<RedisSource> source, RedisServer server, Runnable closing) {
        return new Topology(source, key -> server, closing);
    }

    @Override
    public void close() {
        closing.run();
    }
}
