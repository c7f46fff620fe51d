package dev.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class RedisSourceTest {

    private static final RedisSource.Embedded NONE = () -> {
        throw new IOException("no binary for this machine");
    };

    private static final String EXISTING = "redis://redis.example:7000";

    @Test
    void embeddedBinaryIsTheDefault() {
        RedisSource source = RedisSource.decide(null, null, EXISTING, () -> Path.of("/carried"));
        assertThat(source.existing()).isNull();
        assertThat(source.launcherOrFail().origin()).contains("embedded-redis");
    }

    @Test
    void namedBinaryWins() {
        RedisSource source = RedisSource.decide(null, "/bin/sh", EXISTING, NONE);
        assertThat(source.launcherOrFail().origin()).isEqualTo("/bin/sh");
    }

    @Test
    void namedBinaryThatIsNoneFails() {
        assertThatThrownBy(() -> RedisSource.decide(null, "/no/such/file", EXISTING, NONE))
                .hasMessageContaining("'/no/such/file'")
                .hasMessageContaining("unset it");
    }

    @Test
    void existingServerIsTheLastResortAndMayNotBeBroken() {
        RedisSource source = RedisSource.decide(null, null, EXISTING, NONE);
        assertThat(source.existing()).isNotNull();
        assertThatThrownBy(source::launcherOrFail).hasMessageContaining("REDIS_URI");
        RedisServer server = new RedisServer(source.existing(), null);
        assertThatThrownBy(server::kill).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(server::flushAll).isInstanceOf(UnsupportedOperationException.class);
        assertThat(server).hasToString("Redis at redis.example:7000 (REDIS_URI)");
    }

    @Test
    void errorNamesEveryWayAndTheFix() {
        assertThatThrownBy(() -> RedisSource.decide(null, null, null, NONE))
                .hasMessageContainingAll(
                        "-Dredis.image: not set",
                        "REDIS_SERVER_BINARY: not set",
                        "no binary for this machine",
                        "REDIS_URI: not set",
                        "Install redis-server");
    }
}
