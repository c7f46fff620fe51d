package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LogLines;
import dev.holdfast.lock.testing.RedisServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A server without logins repeats the arguments of a login. No message and no log line contains them. */
class LoginEchoTest {

    private static final String REASON = "unknown command 'AUTH'";
    private static final Duration LIMIT = Await.PATIENCE;

    @Test
    void passwordThatTheServerRepeatsIsInNoMessageAndNoLogLine() {
        try (RedisServer server = RedisServer.start("rename-command HELLO \"\"", "rename-command AUTH \"\"")) {
            // On a busy machine, Lettuce can lose the reason of a refused login even twice in a row.
            Await.until(
                    "the reason is reported",
                    LIMIT,
                    () -> reasonIsReported(RedisSource.of(server.uri("watchman", "sesame"))));
        }
    }

    private static boolean reasonIsReported(RedisSource source) {
        try (LogLines log = LogLines.record();
                LockClient client = Waits.client(source)
                        // The first attempt to connect ends with what the server says, on a busy machine too.
                        .commandTimeout(Duration.ofSeconds(30))
                        .build()) {
            Throwable refused = catchThrowable(() -> client.getLock("any").tryAcquire());
            assertThat(refused).isInstanceOf(LockUnavailableException.class);
            StringWriter trace = new StringWriter();
            refused.printStackTrace(new PrintWriter(trace));
            Await.until("a line is logged", LIMIT, () -> !log.lines().isEmpty());
            List<String> lines = log.lines();
            assertThat(trace.toString()).contains("io.lettuce.core").doesNotContain("sesame", "watchman");
            assertThat(lines).noneMatch(line -> line.contains("sesame") || line.contains("watchman"));
            return trace.toString().contains(REASON) && lines.stream().anyMatch(line -> line.contains(REASON));
        }
    }
}
