package dev.holdfast.lock.sample.fleet;

import dev.holdfast.lock.testing.RedisServer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.h2.tools.Server;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * The servers that the instances share: a Redis, unless {@code spring.data.redis.*} names one, and a database. The database belongs to the
 * launcher, so it survives each instance.
 */
final class Backing implements AutoCloseable {

    private final @Nullable RedisServer redis;
    private final @Nullable Server database;
    private final List<String> arguments = new ArrayList<>();
    private final Map<String, String> variables;

    private Backing(
            @Nullable RedisServer redis,
            @Nullable Server database,
            List<String> databaseArguments,
            Map<String, String> variables) {
        this.variables = variables;
        this.redis = redis;
        this.database = database;
        if (redis != null) {
            arguments.add("--spring.data.redis.host=127.0.0.1");
            arguments.add("--spring.data.redis.port=" + redis.port());
        }
        arguments.addAll(databaseArguments);
    }

    static Backing of(String[] args, Path folder) throws SQLException {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new SimpleCommandLinePropertySource(args));
        RedisServer redis = names(environment, "spring.data.redis") ? null : RedisServer.start();
        if (names(environment, "spring.datasource")) {
            return new Backing(redis, null, List.of(), Map.of());
        }
        // H2 reads it once, when it is first used.
        System.setProperty("h2.bindAddress", "127.0.0.1");
        String password = randomPassword();
        createDatabase(folder, password);
        Server database = startDatabase(folder);
        String url = "jdbc:h2:tcp://127.0.0.1:" + database.getPort() + "/./shop;MODE=PostgreSQL";
        return new Backing(
                redis,
                database,
                List.of("--spring.datasource.url=" + url, "--spring.datasource.username=shop"),
                Map.of("SPRING_DATASOURCE_PASSWORD", password));
    }

    /** Whoever can log in to H2 can run code in this process. So nobody else knows the password, and no other database can be created. */
    private static Server startDatabase(Path folder) throws SQLException {
        return Server.createTcpServer(
                        "-tcpPort",
                        "0",
                        "-ifExists",
                        "-tcpDaemon",
                        "-baseDir",
                        folder.toAbsolutePath().toString())
                .start();
    }

    private static void createDatabase(Path folder, String password) throws SQLException {
        String url = "jdbc:h2:" + folder.toAbsolutePath().resolve("shop") + ";MODE=PostgreSQL";
        DriverManager.getConnection(url, "shop", password).close();
    }

    private static String randomPassword() {
        byte[] random = new byte[16];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random);
    }

    /** Properties, variables and arguments in all the spellings that Spring Boot knows. */
    private static boolean names(StandardEnvironment environment, String prefix) {
        return Binder.get(environment)
                .bind(prefix, Bindable.mapOf(String.class, Object.class))
                .isBound();
    }

    /** Tells the instances where the servers are. */
    List<String> arguments() {
        return arguments;
    }

    /** What only the instances may know. */
    Map<String, String> variables() {
        return variables;
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

    /** On the same port, and empty: the tokens continue to grow. */
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
