package dev.holdfast.lock.testing;

import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A real Redis server for tests, on 127.0.0.1, without persistence, gone when the JVM is gone, {@code kill -9} included.
 *
 * <p>Where the server comes from is decided in one place and once for the JVM; in short: {@code -Dredis.image} (a
 * container), else {@code -Dredis.server.binary} or {@code REDIS_SERVER_BINARY}, else the binary of
 * {@code org.signal:embedded-redis}, else {@code REDIS_URI} for {@link #shared()} alone. {@link #toString()} names it.
 *
 * <p>Tests that break, empty or reconfigure a server {@linkplain #start start their own}. All methods may be called by any
 * thread.
 */
public final class RedisServer implements AutoCloseable {

    private static final Set<String> CONNECTING = Set.of("hello", "role", "client|setinfo", "client|setname");

    private final RedisURI uri;
    private final @Nullable ServerLife life;
    private @Nullable StatefulRedisConnection<String, String> connection;
    private @Nullable String version;

    RedisServer(RedisURI uri, @Nullable ServerLife life) {
        this.uri = uri;
        this.life = life;
    }

    /** The one plain server of this JVM, started by the first call. For tests that name keys of their own and break nothing. */
    public static RedisServer shared() {
        return SharedServer.get();
    }

    /** Starts a server of the test's own; {@code confLines} are lines of a redis.conf, which win over the defaults. */
    public static RedisServer start(String... confLines) {
        return ServerStart.plain(List.of(confLines));
    }

    /** Starts a server from a binary other than this JVM's. */
    public static RedisServer startFrom(Path binary) {
        return ServerStart.start(new BinaryLauncher(binary, binary.toString()), (port, folder) -> List.of(), List.of());
    }

    /** A new URI on each call, with the password if {@code requirepass} set one: it may be changed. */
    public RedisURI uri() {
        return RedisURI.builder(uri).build();
    }

    /** A new URI for a user that a {@code user …} line or an {@code aclfile} of the configuration knows. */
    public RedisURI uri(String user, String password) {
        return RedisURI.builder(uri).withAuthentication(user, password).build();
    }

    public int port() {
        return uri.getPort();
    }

    /** A connection for the test's own checks, opened anew if the server was restarted. Do not keep it across a restart. */
    public RedisCommands<String, String> cli() {
        return connection().sync();
    }

    /** The same for thousands of commands, which do not wait for each other. */
    public RedisAsyncCommands<String, String> pipeline() {
        return connection().async();
    }

    private synchronized StatefulRedisConnection<String, String> connection() {
        if (connection == null || !connection.isOpen()) {
            disconnect();
            connection = FixtureClient.connect(uri());
        }
        return connection;
    }

    /** SIGKILL: what was not saved is lost; clients see their connections reset or closed. */
    public void kill() {
        disconnect();
        life().kill();
    }

    /** SIGTERM: the server ends in good order, and saves nothing. */
    public void stop() {
        disconnect();
        life().terminate();
    }

    /** Starts the server again on the same port without its data, after ending it if it still runs. */
    public void restart() {
        kill();
        life().folder().deleteData();
        life().start();
    }

    /** Restarts on the same port with the data of now or, after {@link #kill()}, of the last {@link #save()}. */
    public void restartWithData() {
        if (life().isAlive()) {
            save();
        }
        kill();
        life().start();
    }

    /** Writes the data to the server's folder, for {@link #restartWithData()}. */
    public void save() {
        life();
        cli().save();
    }

    /** SIGSTOP: connections stay open and are accepted, nothing is answered. */
    public void pause() {
        life().pause();
    }

    /** SIGCONT: what came in meanwhile is executed now. */
    public void resume() {
        life().resume();
    }

    public boolean isAlive() {
        return life == null || life.isAlive();
    }

    /** Whether it runs and is not paused. */
    public boolean isServing() {
        return life == null || life.isServing();
    }

    /** Closes all clients' connections of a type, except {@link #cli()}'s own, and says how many there were. */
    public long clientKill(ClientType type) {
        return cli().clientKill(type.arguments());
    }

    /** Forgets all scripts: the next EVALSHA gets NOSCRIPT. */
    public void scriptFlush() {
        cli().scriptFlush();
    }

    /** Makes the server keep all clients' commands waiting that long. */
    public void clientPause(Duration time) {
        cli().clientPause(time.toMillis());
    }

    /** Deletes all keys. Refused for a server that REDIS_URI names: its data are not ours. */
    public void flushAll() {
        life();
        cli().flushall();
    }

    /**
     * How often each command ran since the last {@link #resetStats()}: lower case, subcommands as {@code client|kill}. Without those with which a
     * connection opens: the one for messages opens later than a client's first call.
     */
    public Map<String, Long> commandStats() {
        Map<String, Long> calls = ServerInfo.of(cli().info("commandstats")).commandCalls();
        calls.keySet().removeAll(CONNECTING);
        return calls;
    }

    public void resetStats() {
        cli().configResetstat();
    }

    /** A section of INFO, by field. */
    public Map<String, String> info(String section) {
        return ServerInfo.of(cli().info(section)).fields();
    }

    /** The version that the server itself reports. */
    public synchronized String version() {
        if (version == null) {
            version = ServerInfo.of(cli().info("server")).product();
        }
        return version;
    }

    /** Whether the server has coordinated failovers, failovers at shutdown and atomic moves of slots. */
    public boolean isValkey9() {
        return version().matches("Valkey (9|[1-9]\\d)\\..*");
    }

    /** Ends the server, frees its port and removes its folder. The shared server stays until the JVM ends. */
    @Override
    public void close() {
        if (life != null && !SharedServer.is(this)) {
            disconnect();
            life.close();
        }
    }

    @Override
    public String toString() {
        String origin = life == null ? "REDIS_URI" : life.origin();
        return (version == null ? "Redis" : version) + " at " + uri.getHost() + ":" + port() + " (" + origin + ")";
    }

    /** What {@link #clientKill} can aim at. */
    public enum ClientType {
        NORMAL,
        PUBSUB,
        REPLICA,
        MASTER;

        private KillArgs arguments() {
            return switch (this) {
                case NORMAL -> KillArgs.Builder.typeNormal();
                case PUBSUB -> KillArgs.Builder.typePubsub();
                case REPLICA -> KillArgs.Builder.typeSlave();
                case MASTER -> KillArgs.Builder.typeMaster();
            };
        }
    }

    ServerLife life() {
        if (life == null) {
            throw new UnsupportedOperationException("The server that REDIS_URI names may not be ended, restarted or "
                    + "emptied by a test. Use RedisServer.start().");
        }
        return life;
    }

    synchronized void disconnect() {
        if (connection != null) {
            connection.close();
            connection = null;
        }
    }
}
