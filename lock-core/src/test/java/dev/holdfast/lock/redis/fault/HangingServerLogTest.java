package dev.holdfast.lock.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.LogLines;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is logged of a server that accepts connections and answers nothing. */
@Timeout(60)
class HangingServerLogTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final String name = "hanging-" + UUID.randomUUID();

    @Test
    void hangIsToldOnceAndItsEndToo() {
        try (FaultProxy proxy = FaultProxy.to(RedisServer.shared().port());
                LogLines log = LogLines.record();
                LockClient client = Waits.client(proxy)
                        .commandTimeout(Duration.ofMillis(300))
                        .build()) {
            client.getLock(name).tryAcquire().orElseThrow().close();
            for (int hang = 1; hang <= 2; hang++) {
                proxy.holdBack();
                for (int i = 0; i < 3; i++) {
                    assertThatThrownBy(() -> client.getLock(name).tryAcquire())
                            .isInstanceOf(LockUnavailableException.class);
                }
                int times = hang;
                Await.until("the hang is logged", LIMIT, () -> commandsLines(log, "cannot be reached") == times);
                proxy.heal();
                Await.until("its end is logged", LIMIT, () -> commandsLines(log, "Connected to Redis again") == times);
                client.getLock(name).tryAcquire().orElseThrow().close();
            }
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("(connection for commands)"))
                    .hasSize(4);
        }
    }

    private static long commandsLines(LogLines log, String text) {
        List<String> lines = log.lines();
        return lines.stream()
                .filter(line -> line.contains(text) && line.contains("(connection for commands)"))
                .count();
    }
}
