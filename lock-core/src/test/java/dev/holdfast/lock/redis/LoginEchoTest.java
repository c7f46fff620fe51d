package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.testing.LogLines;
import dev.holdfast.lock.testing.RedisServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A server without logins repeats the words of whoever logs in. Nobody is told them. */
class LoginEchoTest {

    @Test
    void passwordThatTheServerRepeatsIsInNoMessageAndNoLogLine() {
        try (LogLines log = LogLines.record();
                RedisServer server = RedisServer.start("rename-command HELLO \"\"", "rename-command AUTH \"\"");
                LockClient client = RedisLockClient.builder(RedisSource.of(server.uri("watchman", "sesame")))
                        .checkAtStart(false)
                        // The first attempt to connect ends with what the server says, on a busy machine too.
                        .commandTimeout(Duration.ofSeconds(30))
                        .build()) {
            Throwable refused = catchThrowable(() -> client.getLock("any").tryAcquire());
            assertThat(refused).isInstanceOf(LockUnavailableException.class);
            StringWriter trace = new StringWriter();
            refused.printStackTrace(new PrintWriter(trace));
            assertThat(trace.toString())
                    .contains("unknown command 'AUTH'", "io.lettuce.core")
                    .doesNotContain("sesame", "watchman");
            assertThat(log.lines())
                    .anyMatch(line -> line.contains("unknown command 'AUTH'"))
                    .noneMatch(line -> line.contains("sesame") || line.contains("watchman"));
        }
    }
}
