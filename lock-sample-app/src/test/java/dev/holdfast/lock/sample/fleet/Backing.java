package dev.holdfast.lock.sample.fleet;

import dev.holdfast.lock.testing.RedisServer;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.h2.tools.Server;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * What the instances stand on: a Redis of our own where {@code spring.data.redis.*} names none, and a database that belongs to none of them, so
 * that it outlives each.
 */
final class Backing implements AutoCloseable {

    private final @Nullable RedisServer redis;
    private final @Nullable Server database;
    private final List<String> arguments = new ArrayList<>();

    private Backing(@Nullable RedisServer redis, @Nullable Server database, Path folder) {
        this.redis = redis;
        this.database = database;
        if (redis != null) {
            arguments.add("--spring.data.redis.host=127.0.0.1");
            arguments.add("--spring.data.redis.port=" + redis.port());
        }
        if (database != null) {
            arguments.add("--spring.datasource.url=jdbc:h2:tcp://127.0.0.1:" + database.getPort() + "/"
                    + folder.toAbsolutePath().resolve("shop") + ";MODE=PostgreSQL");
        }
    }

    static Backing of(String[] args, Path folder) throws SQLException {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new SimpleCommandLinePropertySource(args));
        RedisServer redis = names(environment, "spring.data.redis") ? null : RedisServer.start();
        Server database = names(environment, "spring.datasource")
                ? null
                : Server.createTcpServer("-tcpPort", "0", "-ifNotExists", "-tcpDaemon")
                        .start();
        return new Backing(redis, database, folder);
    }

    /** Properties, variables and arguments in all the spellings that Spring Boot knows. */
    private static boolean names(StandardEnvironment environment, String prefix) {
        return Binder.get(environment)
                .bind(prefix, Bindable.mapOf(String.class, Object.class))
                .isBound();
    }

    /** Where the instances find it. */
    List<String> arguments() {
        return arguments;
    }

    String describe() {
        return redis == null ? "the Redis that spring.data.redis.* names" : redis.toString();
    }

    String redisState() {
        if (redis == null) {
            return "elsewhere";
        }
        return redis.isAlive() ? "running" : "stopped";
    }

    synchronized void stopRedis() {
        if (redis != null && redis.isAlive()) {
            redis.stop();
        }
    }

    /** On the same port, and empty: the tokens grow all the same. */
    synchronized void startRedis() {
        if (redis != null && !redis.isAlive()) {
            redis.restart();
        }
    }

    @Override
    public void close() {
        if (database != null) {
            database.stop();
        }
        if (redis != null) {
            redis.close();
        }
    }
}
