package dev.holdfast.lock.testing;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** What all groups do with the link between a master and its replicas. */
final class Replication {

    /** Without the first line a master collects replicas for five seconds before it sends them its data. */
    static final List<String> CONFIGURATION = List.of("repl-diskless-sync-delay 0", "repl-ping-replica-period 1");

    private static final Duration LIMIT = Duration.ofSeconds(15);

    private Replication() {}

    static void follow(RedisServer replica, RedisServer master) {
        replica.cli().replicaof("127.0.0.1", master.port());
        // Written down, so that a replica is one after its restart, too.
        replica.cli().configRewrite();
    }

    static void awaitLinks(Collection<RedisServer> replicas) {
        for (RedisServer replica : replicas) {
            Await.until("replica " + replica + " is connected", LIMIT, () -> isLinked(replica));
        }
    }

    static boolean isLinked(RedisServer replica) {
        Map<String, String> info = replica.info("replication");
        return "slave".equals(info.get("role")) && "up".equals(info.get("master_link_status"));
    }

    static boolean isMaster(RedisServer server) {
        return "master".equals(server.info("replication").get("role"));
    }

    /**
     * Cuts the stream at once and refuses new ones: what the master accepts from now on it alone knows. Its clients and
     * sentinels notice nothing, because only the right to replicate is taken away.
     */
    static void cut(RedisServer master) {
        setRights(master, "-psync", "-sync");
        master.clientKill(RedisServer.ClientType.REPLICA);
    }

    static void heal(RedisServer master) {
        setRights(master, "+psync", "+sync");
    }

    private static void setRights(RedisServer master, String psync, String sync) {
        CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8)
                .add("SETUSER")
                .add("default")
                .add(psync)
                .add(sync);
        master.cli().dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), arguments);
    }
}
