package dev.holdfast.lock.redis.interop;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.RedissonClientFixture;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.redis.interop.InteropCell.Direction;
import dev.holdfast.lock.redis.interop.InteropCell.Mode;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisCluster;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.BaseMasterSlaveServersConfig;
import org.redisson.config.Config;

/** A service on Holdfast and a service on Redisson that share one Redis and their lock names. */
final class InteropSides implements AutoCloseable {

    private final LockClient ours;
    private final RedissonClient theirs;
    private final Mode mode;
    private final Function<String, RedisServer> serverOf;

    private InteropSides(LockClient ours, RedissonClient theirs, Mode mode, Function<String, RedisServer> serverOf) {
        this.ours = ours;
        this.theirs = theirs;
        this.mode = mode;
        this.serverOf = serverOf;
    }

    static InteropSides on(RedisServer server, Duration lease) {
        Config config = RedissonClientFixture.config(server).setLockWatchdogTimeout(lease.toMillis());
        return new InteropSides(
                ours(RedisSource.of(server.uri()), lease), Redisson.create(config), Mode.STANDALONE, key -> server);
    }

    static InteropSides on(RedisCluster cluster, Duration lease) {
        Config config = new Config().setLockWatchdogTimeout(lease.toMillis());
        config.setThreads(4).setNettyThreads(4);
        BaseMasterSlaveServersConfig<?> servers = config.useClusterServers()
                .addNodeAddress(cluster.uris().stream()
                        .map(uri -> "redis://" + uri.getHost() + ":" + uri.getPort())
                        .toArray(String[]::new));
        servers.setMasterConnectionMinimumIdleSize(1);
        servers.setSlaveConnectionMinimumIdleSize(1);
        servers.setSubscriptionConnectionMinimumIdleSize(1);
        RedisURI[] seeds = cluster.uris().toArray(RedisURI[]::new);
        return new InteropSides(
                ours(RedisSource.cluster(seeds), lease), Redisson.create(config), Mode.CLUSTER, cluster::masterOf);
    }

    private static LockClient ours(RedisSource source, Duration lease) {
        return Waits.client(source).watchdogTimeout(lease).build();
    }

    Lock holder(InteropCell cell, String name) {
        return cell.direction() == Direction.HOLDFAST_HOLDS
                ? cell.pair().held.ours.apply(ours, name)
                : cell.pair().held.theirs.apply(theirs, name);
    }

    Lock waiter(InteropCell cell, String name) {
        return cell.direction() == Direction.HOLDFAST_HOLDS
                ? cell.pair().wanted.theirs.apply(theirs, name)
                : cell.pair().wanted.ours.apply(ours, name);
    }

    long ourWakeUpsByMessage() {
        return ours.statistics().wakeUpsBySignal();
    }

    RedisServer serverOf(String name) {
        return serverOf.apply(name);
    }

    /** Waits until somebody listens for the lock's releases: whoever does is about to sleep. */
    void awaitListener(String name) {
        Await.until(
                "somebody listens for " + name,
                Await.PATIENCE,
                () -> !channels(name).isEmpty());
    }

    private List<String> channels(String name) {
        var cli = serverOf.apply(name).cli();
        String pattern = "*" + name + "*";
        return mode == Mode.CLUSTER ? cli.pubsubShardChannels(pattern) : cli.pubsubChannels(pattern);
    }

    @Override
    public void close() {
        ours.close();
        theirs.shutdown();
    }
}
