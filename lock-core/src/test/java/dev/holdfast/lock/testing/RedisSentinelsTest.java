package dev.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class RedisSentinelsTest {

    @Test
    void clientFindsTheMasterThroughTheSentinels() {
        try (RedisSentinels group = RedisSentinels.start()) {
            RedisClient client = RedisClient.create(group.uri());
            try (StatefulRedisConnection<String, String> connection = client.connect()) {
                connection.sync().set("a", "1");
                assertThat(group.master().cli().get("a")).isEqualTo("1");
            } finally {
                client.shutdown();
            }
        }
    }

    @Test
    void mastersAreReplacedOneAfterTheOther() {
        try (RedisSentinels group = RedisSentinels.start()) {
            RedisServer first = group.master();
            RedisServer second = group.failover();
            assertThat(second).isNotSameAs(first);
            assertThat(group.replicas()).contains(first).hasSize(2);
            Replication.awaitLinks(group.replicas());
            assertThat(second.cli().set("a", "1")).isEqualTo("OK");
        }
    }

    @Test
    void killedMasterIsReplacedAndLosesWhatItDidNotReplicate() {
        try (RedisSentinels group = RedisSentinels.start()) {
            RedisServer old = group.master();
            old.cli().set("a", "replicated");
            old.cli().waitForReplication(2, 5_000);
            group.cutReplication();
            old.cli().set("a", "lost");
            old.kill();
            assertThat(group.awaitNewMaster(old).cli().get("a")).isEqualTo("replicated");
            old.restart();
            Replication.awaitLinks(group.replicas());
            assertThat(old.cli().get("a")).isEqualTo("replicated");
        }
    }

    @Test
    void pausedMasterIsReplaced() {
        try (RedisSentinels group = RedisSentinels.start()) {
            RedisServer old = group.master();
            old.pause();
            assertThat(group.awaitNewMaster(old)).isNotSameAs(old);
            old.resume();
            Replication.awaitLinks(group.replicas());
        }
    }
}
