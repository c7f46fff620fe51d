package dev.holdfast.lock.testing;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import io.lettuce.core.sentinel.api.sync.RedisSentinelCommands;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One sentinel of a group, and what it believes. */
final class Sentinel implements AutoCloseable {

    private static final String NAME = RedisSentinels.MASTER_NAME;

    private static final Pattern MASTER =
            Pattern.compile("status=(\\w+),address=[^,]*:(\\d+),slaves=(\\d+),sentinels=(\\d+)");

    private final RedisServer server;
    private @Nullable StatefulRedisSentinelConnection<String, String> connection;

    Sentinel(RedisServer server) {
        this.server = server;
    }

    static RedisServer start(int masterPort, int downAfterMillis) {
        List<String> lines = List.of(
                "sentinel monitor " + NAME + " 127.0.0.1 " + masterPort + " 2",
                "sentinel down-after-milliseconds " + NAME + " " + downAfterMillis,
                "sentinel failover-timeout " + NAME + " 3000",
                "sentinel parallel-syncs " + NAME + " 2");
        return ServerStart.start((port, folder) -> lines, List.of("--sentinel"));
    }

    RedisServer server() {
        return server;
    }

    int port() {
        return server.port();
    }

    /**
     * Shortens the pauses that sentinels make for big installations. The pings above all: they come as rarely as the time
     * after which a server that did not answer is down, so with a short time a server in good health is down now and then.
     * They may not come too often either: a replica is fit for promotion only if its last INFO is younger than five pings,
     * and while the master is down there is one INFO a second. And after a hiccup sentinels do nothing for 30 s.
     */
    void hurry() {
        sentinel("DEBUG", "ping-period", "300", "publish-period", "200", "info-period", "300", "tilt-period", "500");
    }

    void failover(boolean coordinated) {
        if (coordinated) {
            sentinel("FAILOVER", NAME, "COORDINATED");
        } else {
            sentinel("FAILOVER", NAME);
        }
    }

    int masterPort() {
        return Integer.parseInt(master().group(2));
    }

    /** Knows the other two, and knows that both replicas are fit to be promoted. */
    boolean knowsAll() {
        Matcher master = master();
        return master.group(1).equals("ok")
                && master.group(3).equals("2")
                && master.group(4).equals("3")
                && commands().replicas(NAME).stream().allMatch(each -> "ok".equals(each.get("master-link-status")));
    }

    @Override
    public void close() {
        if (connection != null) {
            connection.close();
        }
        server.close();
    }

    private Matcher master() {
        String line = server.info("sentinel").getOrDefault("master0", "");
        Matcher master = MASTER.matcher(line);
        if (!master.find()) {
            throw new IllegalStateException("A sentinel does not know its master: " + line);
        }
        return master;
    }

    private void sentinel(String... words) {
        CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8);
        List.of(words).forEach(arguments::add);
        commands().dispatch(CommandType.SENTINEL, new StatusOutput<>(StringCodec.UTF8), arguments);
    }

    private synchronized RedisSentinelCommands<String, String> commands() {
        if (connection == null || !connection.isOpen()) {
            connection = FixtureClient.connectSentinel(server.uri());
        }
        return connection.sync();
    }
}
