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

    private static final String USER = "replication";

    /**
     * Replicas have a user of their own, which can be switched off. When a slot moves at once, its keys are written as this user.
     * And without the delay of zero a master collects replicas for five seconds before it sends them its data.
     */
    static final List<String> CONFIGURATION = List.of(
            "user " + USER + " on >" + USER + " ~* &* +@all",
            "masteruser " + USER,
            "masterauth " + USER,
            "repl-diskless-sync-delay 0",
            "repl-ping-replica-period 1");

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private Replication() {}

    static void follow(RedisServer replica, RedisServer master) {
        replica.cli().replicaof("127.0.0.1", master.port());
        // Written down, so that a replica is one after its restart, too.
        replica.cli().configRewrite();
    }

    static void awaitLinks(Collection<RedisServer> replicas) {
        for (RedisServer replica : replicas) {
            try {
                Await.until("replica " + replica + " is connected", LIMIT, () -> isLinked(replica));
            } catch (IllegalStateException e) {
                throw new IllegalStateException(
                        e.getMessage() + "; it wrote:\n" + replica.life().log(), e);
            }
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
     * sentinels notice nothing. Taking PSYNC from the replicas' user would not do: a replica then falls back to SYNC, again
     * and again without a pause, and if that succeeds it acknowledges nothing for good.
     */
    static void cut(RedisServer master) {
        CommandArgs<String, String> arguments =
                new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add(USER).add("off");
        master.cli().dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), arguments);
        master.clientKill(RedisServer.ClientType.REPLICA);
    }
}
