package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.OneAtATime;
import dev.holdfast.lock.testing.RedisServer;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** SIGTERM while a body runs under its lock. The lock's lease would outlive the process by half a minute. */
@OneAtATime
@Nightly(inEachBuild = "runningBodyKeepsItsLockUntilItIsDone in LifecycleTest, without a signal")
class ShutdownTest {

    private static final int ENDED_BY_SIGTERM = 128 + 15;

    private final RedisServer server = RedisServer.shared();
    private final String prefix = "shutdown-" + UUID.randomUUID() + ":";
    private final String key = prefix + "work:4711";

    @Test
    void bodyKeepsItsLockUntilItIsDoneAndNothingStaysBehind() throws Exception {
        try (ChildJvm application = start()) {
            assertThat(application.await("HELD")).isEqualTo("HELD work:4711 true");
            application.signal("TERM");
            application.await("CLOSING");
            assertThat(server.cli().pttl(key)).isPositive();
            application.say("finish");
            assertThat(application.await("DONE")).isEqualTo("DONE true");
            assertThat(application.exitCode()).isEqualTo(ENDED_BY_SIGTERM);
            assertThat(server.cli().exists(key)).isZero();
        }
    }

    private ChildJvm start() throws IOException {
        return ChildJvm.start(
                List.of(),
                List.of(),
                SampleProcess.class,
                "--spring.data.redis.host=127.0.0.1",
                "--spring.data.redis.port=" + server.port(),
                "--holdfast.key-prefix=" + prefix,
                "--holdfast.shutdown-grace=60s");
    }
}
