package dev.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ScriptOutputType;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs where a Docker engine answers, and says why it does not elsewhere. */
@Timeout(60)
@ExtendWith(RedisContainerCondition.class)
class RedisContainerTest {

    @Test
    void containerIsAServerLikeAnyOther() {
        try (RedisServer redis = RedisContainer.start()) {
            assertThat(redis.cli().ping()).isEqualTo("PONG");
            assertThat(redis.cli().<Long>eval("return 1 + 1", ScriptOutputType.INTEGER))
                    .isEqualTo(2L);
            assertThat(redis.version()).contains(".");
            assertThat(redis)
                    .hasToString(redis.version() + " at 127.0.0.1:" + redis.port() + " (image " + RedisContainer.image()
                            + ")");
        }
    }

    @Test
    void containerIsPausedKilledAndRestarted() throws Exception {
        try (RedisServer redis = RedisContainer.start();
                RawClientForTest client = new RawClientForTest(redis.port())) {
            assertThat(client.ask("SET", "a", "1")).isEqualTo("OK");
            redis.pause();
            client.send("GET", "a");
            assertThat(client.hearsNothing()).isTrue();
            redis.resume();
            assertThat(client.read()).isEqualTo("1");
            redis.restartWithData();
            assertThat(redis.cli().get("a")).isEqualTo("1");
            redis.stop();
            redis.restart();
            assertThat(redis.cli().get("a")).isNull();
        }
    }

    @Test
    void closedContainerLeavesNothing() {
        RedisServer redis = RedisContainer.start();
        Path folder = redis.life().folder().path();
        redis.close();
        assertThat(folder).doesNotExist();
        assertThat(redis.isAlive()).isFalse();
    }
}
