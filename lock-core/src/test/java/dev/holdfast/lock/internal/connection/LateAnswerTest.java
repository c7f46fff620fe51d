package dev.holdfast.lock.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that was away executes what it was sent meanwhile, and answers. */
@Timeout(Await.TEST_SECONDS)
class LateAnswerTest {

    private static final Duration LIMIT = Await.PATIENCE;
    private static final String TEXT = "return {7}";

    @Test
    void answerAfterTheCommandTimeoutIsPassedOnWithTheMomentOfItsSending() {
        RedisServer server = RedisServer.start();
        server.cli().scriptLoad(TEXT);
        Script script = Script.of("answer", TEXT);
        RedisClient client = RedisClient.create(server.uri());
        ConnectionSettings settings = ConnectionSettings.forLease(LIMIT).withCommandTimeout(Duration.ofMillis(300));
        try (server;
                Timer timer = Timer.onThread("timer", Background.SYSTEM);
                LettuceGateway gateway = new LettuceGateway(
                        LettuceClients.of(client),
                        new KeySlots(false),
                        settings,
                        timer,
                        System::nanoTime,
                        Background.SYSTEM)) {
            gateway.attempted().join();
            CompletableFuture<ScriptResult> late = new CompletableFuture<>();
            server.pause();
            long before = System.nanoTime();

            CompletableFuture<ScriptResult> inTime =
                    gateway.run(script, List.of("key"), List.of(), result -> result, late::complete);
            long after = System.nanoTime();
            assertThat(inTime).failsWithin(LIMIT).withThrowableThat().withMessageContaining("no answer from Redis");
            server.resume();

            assertThat(late).succeedsWithin(LIMIT).satisfies(result -> {
                assertThat(result.values()).isEqualTo(List.of(7L));
                assertThat(result.sentAt() - before).isBetween(0L, after - before);
            });
        } finally {
            client.shutdown();
        }
    }
}
