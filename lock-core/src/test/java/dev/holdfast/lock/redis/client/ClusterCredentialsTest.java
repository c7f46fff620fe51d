package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.ClientOwner;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisCluster;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client knows the credentials of its seeds only, and finds the other nodes. */
@Timeout(Await.TEST_SECONDS)
class ClusterCredentialsTest {

    @AutoClose
    private static RedisCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start("user locks on >secret ~* &* +@all");
    }

    private static ClientOwner.Opened open(ClientOwner owner, RedisURI seed) {
        if (owner == ClientOwner.HOLDFAST) {
            return new ClientOwner.Opened(RedisSource.cluster(seed), () -> {});
        }
        RedisClusterClient application = RedisClusterClient.create(seed);
        return new ClientOwner.Opened(
                RedisSource.of(application, seed), () -> application.shutdown(0, 0, TimeUnit.SECONDS));
    }

    @ParameterizedTest
    @EnumSource
    void seedsUserAndNameAreUsedAtEachNode(ClientOwner owner) {
        RedisURI seed = RedisURI.builder(cluster.uris().get(0))
                .withAuthentication("locks", "secret")
                .withClientName("shop")
                .build();
        try (ClientOwner.Opened opened = open(owner, seed);
                LockClient client = Waits.client(opened.source()).build();
                LockClient other = Waits.client(cluster).build()) {
            for (RedisServer master : cluster.servers().subList(0, 3)) {
                String name = Waits.nameAt(cluster, each -> each == master);
                Lease lease = Waits.held(other, name);
                CompletableFuture<Lease> next = client.getLock(name)
                        .acquireAsync(AcquireOptions.defaults())
                        .toCompletableFuture();
                Await.until("both connections are the user's", Await.PATIENCE, () -> {
                    String connections = master.cli().clientList();
                    return connections
                                    .lines()
                                    .filter(line -> line.contains(" name=shop ")
                                            && line.contains(" user=locks ")
                                            && (line.contains(" cmd=eval") || line.contains(" cmd=ssubscribe")))
                                    .count()
                            == 2;
                });
                lease.close();
                assertThat(Waits.get(next).isHeld()).isTrue();
            }
        }
    }
}
