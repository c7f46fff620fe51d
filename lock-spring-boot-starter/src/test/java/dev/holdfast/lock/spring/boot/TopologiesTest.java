package dev.holdfast.lock.spring.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisCluster;
import dev.holdfast.lock.testing.RedisReplication;
import dev.holdfast.lock.testing.RedisSentinels;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.ShardingProxy;
import dev.holdfast.lock.testing.TlsRedis;
import io.lettuce.core.RedisURI;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Wherever and however {@code spring.data.redis.*} says that Redis is, the locks are there too, whichever client the application uses. */
@ParameterizedClass
@ValueSource(strings = {"lettuce", "jedis"})
class TopologiesTest {

    private final String clientType;

    TopologiesTest(String clientType) {
        this.clientType = clientType;
    }

    @Test
    void oneServerWithCredentialsAndADatabase() {
        try (RedisServer server = RedisServer.start("user shop on >secret +@all ~* &*")) {
            with(
                            "spring.data.redis.url=redis://shop:secret@127.0.0.1:" + server.port() + "/3",
                            "holdfast.fail-fast=true")
                    .run(context -> {
                        try (var lease = context.getBean(LockClient.class)
                                .getLock("in-three")
                                .acquire()) {
                            server.cli().select(3);
                            assertThat(server.cli().exists("in-three")).isOne();
                        }
                    });
        }
    }

    @Test
    void sentinels() {
        try (RedisSentinels group = RedisSentinels.startWithoutFailover()) {
            String nodes = group.sentinels().stream()
                    .map(each -> "127.0.0.1:" + each.port())
                    .collect(Collectors.joining(","));
            with(
                            "spring.data.redis.sentinel.master=" + RedisSentinels.MASTER_NAME,
                            "spring.data.redis.sentinel.nodes=" + nodes)
                    .run(context -> assertThat(Contexts.locksOn(group.master(), context.getBean(LockClient.class)))
                            .isTrue());
        }
    }

    @Test
    void clusterWhoseApplicationConnectionsLiveOnAfterTheLocksAreClosed() {
        try (RedisCluster cluster = RedisCluster.start()) {
            with("spring.data.redis.cluster.nodes=" + nodes(cluster.uris())).run(context -> {
                LockClient locks = context.getBean(LockClient.class);
                try (var lease = locks.getLock("in-a-cluster").acquire()) {
                    assertThat(cluster.masterOf("in-a-cluster").cli().exists("in-a-cluster"))
                            .isOne();
                }
                locks.close();
                try (var connection =
                        context.getBean(RedisConnectionFactory.class).getConnection()) {
                    assertThat(connection.stringCommands().set("key".getBytes(UTF_8), "value".getBytes(UTF_8)))
                            .isTrue();
                }
            });
        }
    }

    @Test
    void serviceThatRefusesNothing() {
        // What is behind an address is decided after the client's kind: with Jedis, only the address is read.
        assumeTrue(clientType.equals("lettuce") || Nightly.Night.isOn(), "runs with -Pnightly");
        try (ShardingProxy service = ShardingProxy.start(ShardingProxy.Service.ROUTES_BY_FIRST_KEY)) {
            with(
                            "spring.data.redis.host=127.0.0.1",
                            "spring.data.redis.port=" + service.uri().getPort(),
                            "holdfast.watchdog-timeout=6s",
                            "holdfast.separate-slots=true")
                    .run(context -> {
                        LockClient locks = context.getBean(LockClient.class);
                        try (Lease one = locks.getLock("in-one-slot").acquire();
                                Lease other = locks.getLock("in-another").acquire()) {
                            Await.until(
                                    "two renewals of each",
                                    Await.PATIENCE,
                                    () -> locks.statistics().renewals() >= 4);
                            assertThat(one.verify() && other.verify()).isTrue();
                            assertThat(locks.statistics().renewalFailures()).isZero();
                        }
                        assertThat(service.shards())
                                .allMatch(shard -> shard.cli().exists(LockKeys.TOKEN_KEY) == 0);
                    });
        }
    }

    @Test
    void tlsWithAnSslBundle() {
        try (TlsRedis tls = TlsRedis.start()) {
            with(
                            "spring.data.redis.host=localhost",
                            "spring.data.redis.port=" + tls.port(),
                            "spring.data.redis.ssl.bundle=redis",
                            "spring.ssl.bundle.pem.redis.truststore.certificate=file:" + tls.certificate())
                    .run(context -> assertThat(Contexts.locksOn(tls.server(), context.getBean(LockClient.class)))
                            .isTrue());
        }
    }

    @Test
    void applicationsOwnConnectionsLiveOnAfterTheLocksAreClosed() {
        RedisServer server = RedisServer.shared();
        with("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + server.port())
                .run(context -> {
                    LockClient locks = context.getBean(LockClient.class);
                    assertThat(Contexts.locksOn(server, locks)).isTrue();
                    locks.close();
                    try (var connection =
                            context.getBean(RedisConnectionFactory.class).getConnection()) {
                        assertThat(connection.ping()).isEqualTo("PONG");
                    }
                });
    }

    @Test
    void masterAndReplicasByTheirAddresses() {
        assumeTrue(clientType.equals("lettuce"), "Spring Data has it for Lettuce only");
        try (RedisReplication group = RedisReplication.start(1)) {
            List<RedisURI> uris =
                    List.of(group.replicas().get(0).uri(), group.master().uri());
            with("spring.data.redis.masterreplica.nodes=" + nodes(uris))
                    .run(context -> assertThat(Contexts.locksOn(group.master(), context.getBean(LockClient.class)))
                            .isTrue());
        }
    }

    private static String nodes(List<RedisURI> uris) {
        return uris.stream().map(uri -> uri.getHost() + ":" + uri.getPort()).collect(Collectors.joining(","));
    }

    private ApplicationContextRunner with(String... pairs) {
        return Contexts.context()
                .withPropertyValues("spring.data.redis.client-type=" + clientType)
                .withPropertyValues(pairs);
    }
}
