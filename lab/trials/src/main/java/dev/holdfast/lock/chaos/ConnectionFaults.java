package dev.holdfast.lock.chaos;

import dev.holdfast.check.FaultLog;
import dev.holdfast.check.Faults;
import dev.holdfast.check.Outage;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisException;
import java.util.Random;
import java.util.function.Function;

/** Faults of connections. Some clients lose their connection, or the server forgets the scripts. They also occur during a failover. */
final class ConnectionFaults implements Faults {

    private final Function<Random, RedisServer> servers;
    private final FaultLog log;

    /** @param servers selects the server of each fault */
    ConnectionFaults(Function<Random, RedisServer> servers, FaultLog log) {
        this.servers = servers;
        this.log = log;
    }

    @Override
    public int pauseMillis() {
        return 350;
    }

    @Override
    public void strike(Random random) throws InterruptedException {
        boolean scripts = random.nextInt(4) == 0;
        try {
            RedisServer server = servers.apply(random);
            if (!server.isServing()) {
                return;
            }
            if (scripts) {
                server.scriptFlush();
            } else {
                ClientConnections.of(server).stream()
                        .filter(connection -> random.nextInt(4) == 0)
                        .forEach(connection ->
                                server.cli().clientKill(KillArgs.Builder.id(ClientConnections.id(connection))));
            }
        } catch (RedisException | IllegalStateException unreachable) {
            // Another fault currently affects the server.
            return;
        }
        log.at(scripts ? "forget scripts" : "kill connections", Outage.ALL, () -> {});
    }
}
