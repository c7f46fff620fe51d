package dev.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RedisClusterTest {

    @Test
    void slotsMoveWithTheirKeys() {
        try (RedisCluster cluster = RedisCluster.start()) {
            RedisClusterClient client = RedisClusterClient.create(cluster.uris());
            try (StatefulRedisClusterConnection<String, String> connection = client.connect()) {
                connection.sync().set("{a}1", "1");
                connection.sync().set("{a}2", "2");
                RedisServer source = cluster.masterOf("a");
                RedisServer target = cluster.otherMasterThanOf("a");

                SlotMigration move = cluster.migrationOf("a", target).begin().moveKey("{a}1");
                assertThatThrownBy(() -> source.cli().get("{a}1"))
                        .isInstanceOf(RedisCommandExecutionException.class)
                        .hasMessageStartingWith("ASK");
                assertThat(source.cli().get("{a}2")).isEqualTo("2");
                assertThat(connection.sync().get("{a}1")).isEqualTo("1");
                move.moveKeys().finish();

                assertThat(cluster.masterOf("a")).isSameAs(target);
                assertThatThrownBy(() -> source.cli().get("{a}1")).hasMessageStartingWith("MOVED");
                assertThat(connection.sync().get("{a}2")).isEqualTo("2");

                cluster.migrate("a", source);
                assertThat(source.cli().get("{a}1")).isEqualTo("1");

                cluster.migrationOf("a", target).begin().abort();
                assertThat(cluster.masterOf("a")).isSameAs(source);
            } finally {
                client.shutdown();
            }
        }
    }
}
