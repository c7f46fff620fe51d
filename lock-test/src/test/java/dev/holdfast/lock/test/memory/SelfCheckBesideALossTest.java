package dev.holdfast.lock.test.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.test.memory.MemoryGateway.Command;
import dev.holdfast.lock.test.memory.MemoryGateway.Traffic;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A self-check during which Redis loses its data. */
class SelfCheckBesideALossTest {

    private final MemoryRedis redis =
            new MemoryRedis(System::nanoTime, Instant.parse("2026-01-01T00:00:00Z"), Runnable::run);

    @Test
    void lossBetweenTwoCommandsIsNotTakenForAProxy() {
        AtomicBoolean lost = new AtomicBoolean();
        Traffic losing = new Traffic() {
            @Override
            public <T> CompletableFuture<T> send(
                    String command, List<String> keys, List<String> args, Command<T> execution) {
                if (command.equals("renew") && keys.size() == 2) {
                    redis.restore(Map.of());
                    lost.set(true);
                }
                return Traffic.executed(execution);
            }
        };
        try (LockClient client = RedisLockClient.builder(
                        RedisSource.simulated((settings, timer, ticker) -> new MemoryGateway(redis, losing, ticker)))
                .checkAtStart(false)
                .build()) {
            SelfCheck check = client.selfCheck().toCompletableFuture().join();

            assertThat(lost).isTrue();
            assertThat(check.findings()).noneMatch(finding -> finding.message().contains("separate-slots"));
        }
    }
}
