package dev.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class RedisSentinelsTest {

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
}
