package dev.holdfast.lock.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.RedisServer;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What an application that stops in good order writes to its log. */
class StopLogTest {

    @Test
    void stopInGoodOrderIsNoWarning() {
        OperatedApplication application = OperatedApplication.of(
                List.of(), "spring.data.redis.port=" + RedisServer.shared().port());
        try (application) {
            application.locks().getLock("stop-" + UUID.randomUUID()).acquire().close();
            assertThat(logOfStopping(application)).noneMatch(StopLogTest::isAlarming);
        }
    }

    static List<String> logOfStopping(OperatedApplication application) {
        try (EveryLogLine log = EveryLogLine.record()) {
            application.close();
            return log.lines();
        }
    }

    static boolean isAlarming(String line) {
        return line.startsWith("WARN") || line.startsWith("ERROR");
    }
}
