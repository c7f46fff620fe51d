package dev.holdfast.lock.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.fixture.GraceClients;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What the grace after a failover needs of a server: a master that was restarted with its data, which can be a second old, has another
 * {@code master_replid}. Servers write theirs into their files, and a replica takes it from there.
 */
@Timeout(Await.TEST_SECONDS)
class NewReignTest {

    @ParameterizedTest
    @CsvSource({"yes, true", "yes, false", "no, true", "no, false"})
    void masterThatIsRestartedWithItsAppendOnlyFileBeginsANewReign(String preamble, boolean inGoodOrder) {
        try (RedisServer master = RedisServer.start(
                        "appendonly yes",
                        "appendfsync always",
                        "repl-diskless-sync-delay 0",
                        "aof-use-rdb-preamble " + preamble);
                RedisServer replica = RedisServer.start("replicaof 127.0.0.1 " + master.port())) {
            // A master writes its id into its file only if it has had a replica.
            Await.until(
                    "the replica follows",
                    Await.PATIENCE,
                    () -> "up".equals(replica.info("replication").get("master_link_status")));
            master.cli().set("data", "kept");
            master.cli().bgrewriteaof();
            Await.until("the file is rewritten", Await.PATIENCE, () -> "0 0 ok".equals(rewriting(master)));
            String before = GraceClients.reign(master);
            assertThat(GraceClients.reign(replica)).isEqualTo(before);

            if (inGoodOrder) {
                master.stop();
            } else {
                master.kill();
            }
            master.restartWithData();

            assertThat(master.cli().get("data")).isEqualTo("kept");
            assertThat(GraceClients.reign(master)).isNotEqualTo(before);
        }
    }

    private static String rewriting(RedisServer server) {
        var persistence = server.info("persistence");
        return persistence.get("aof_rewrite_in_progress") + " " + persistence.get("aof_rewrite_scheduled") + " "
                + persistence.get("aof_last_bgrewrite_status");
    }
}
