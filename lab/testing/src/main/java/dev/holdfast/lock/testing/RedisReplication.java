package dev.holdfast.lock.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A master and its replicas. Nobody promotes anyone; for that there are {@link RedisSentinels}. */
public final class RedisReplication implements AutoCloseable {

    private final List<RedisServer> servers;

    private RedisReplication(List<RedisServer> servers) {
        this.servers = servers;
    }

    /** Starts all servers with these lines of a redis.conf and waits until the replicas are connected. */
    public static RedisReplication start(int replicas, String... confLines) {
        List<String> lines = new ArrayList<>(Replication.CONFIGURATION);
        lines.addAll(List.of(confLines));
        RedisReplication group = new RedisReplication(Parallel.start(1 + replicas, () -> ServerStart.plain(lines)));
        try {
            group.replicas().forEach(replica -> Replication.follow(replica, group.master()));
            Replication.awaitLinks(group.replicas());
            return group;
        } catch (RuntimeException e) {
            group.close();
            throw e;
        }
    }

    public RedisServer master() {
        return servers.get(0);
    }

    public List<RedisServer> replicas() {
        return servers.subList(1, servers.size());
    }

    /** Waits until all replicas have what the master has now. */
    public void awaitReplicated() {
        Await.until(
                "the replicas have caught up",
                Duration.ofSeconds(10),
                () -> master().cli().waitForReplication(replicas().size(), 1_000)
                        >= replicas().size());
    }

    @Override
    public void close() {
        Parallel.close(servers);
    }
}
