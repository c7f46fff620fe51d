package dev.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class RedisReplicationTest {

    @Test
    void writesReachTheReplicasUnlessReplicationIsCut() {
        try (RedisReplication group = RedisReplication.start(2)) {
            group.master().cli().set("a", "1");
            group.awaitReplicated();
            assertThat(group.replicas())
                    .allSatisfy(replica -> assertThat(replica.cli().get("a")).isEqualTo("1"));

            group.cutReplication();
            group.master().cli().set("a", "2");
            assertThat(group.master().cli().waitForReplication(1, 50)).isZero();
            assertThat(group.replicas())
                    .allSatisfy(replica -> assertThat(replica.cli().get("a")).isEqualTo("1"));

            group.healReplication();
            group.awaitReplicated();
            assertThat(group.replicas())
                    .allSatisfy(replica -> assertThat(replica.cli().get("a")).isEqualTo("2"));
        }
    }

    @Test
    void replicaIsOneAgainAfterItsRestart() {
        try (RedisReplication group = RedisReplication.start(1)) {
            group.master().cli().set("a", "1");
            group.replicas().get(0).restart();
            group.awaitReplicated();
            assertThat(group.replicas().get(0).cli().get("a")).isEqualTo("1");
        }
    }

    @Test
    void replicationPassesThroughAProxyThatHoldsIt() throws Exception {
        try (RedisReplication group = RedisReplication.start(1);
                FaultProxy link = FaultProxy.to(group.master().port())) {
            RedisServer replica = group.replicas().get(0);
            replica.cli().replicaof("127.0.0.1", link.port());
            Replication.awaitLinks(group.replicas());
            Strike held = link.holdBack(FaultProxy.Direction.TO_CLIENT);
            group.master().cli().set("a", "1");
            held.await();
            assertThat(replica.cli().get("a")).isNull();
            link.heal();
            group.awaitReplicated();
            assertThat(replica.cli().get("a")).isEqualTo("1");
        }
    }
}
