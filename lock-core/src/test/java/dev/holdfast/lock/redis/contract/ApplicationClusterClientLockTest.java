package dev.holdfast.lock.redis.contract;

import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.Topology;
import dev.holdfast.lock.testing.RedisCluster;
import io.lettuce.core.cluster.RedisClusterClient;

/** A cluster through an application's own client, with Lettuce's default options. */
class ApplicationClusterClientLockTest extends LockContract {

    @Override
    protected Topology open() {
        RedisCluster cluster = RedisCluster.start();
        RedisClusterClient client = RedisClusterClient.create(cluster.uris());
        return new Topology(
                () -> RedisSource.of(client, cluster.uris().get(0)),
                key -> cluster.masterOf(key).cli(),
                () -> {
                    client.shutdown();
                    cluster.close();
                });
    }
}
