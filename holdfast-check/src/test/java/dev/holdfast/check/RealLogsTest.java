package dev.holdfast.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Two applications log their events into one file, and the judge reads it. */
@Timeout(Await.TEST_SECONDS)
class RealLogsTest {

    private static final Duration PATIENCE = Await.PATIENCE;
    /** Of each thread. */
    private static final int TURNS = 10;

    private static final Duration HELD_TOGETHER = Duration.ofMillis(300);

    @TempDir
    private Path folder;

    private final RedisServer server = RedisServer.start();
    private final List<ConfigurableApplicationContext> instances = new ArrayList<>();
    private String said = "";

    @BeforeEach
    void start() {
        instances.add(instance("one"));
        instances.add(instance("two"));
    }

    @AfterEach
    void stop() {
        instances.forEach(ConfigurableApplicationContext::close);
        server.close();
    }

    @Test
    void instancesThatTakeTurnsDoNotOverlap() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            LockClient locks = locks(i % 2);
            Thread thread = new Thread(() -> {
                for (int n = 0; n < TURNS; n++) {
                    locks.getLock("billing").acquire().close();
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        awaitLines("released", 6 * TURNS);
        assertThat(judge()).as(said).isZero();
        assertThat(said)
                .contains("2 instances, ")
                .contains("Verdict: no lock had two holders from ")
                .doesNotContain("Nothing is known");
    }

    @Test
    void lockThatRedisForgetsHasTwoHolders() throws InterruptedException {
        long asked = System.nanoTime();
        Lease first = locks(0).getLock("billing").acquire();
        Duration answered = Duration.ofNanos(System.nanoTime() - asked);
        server.cli().del("billing");
        try (Lease second = locks(1).getLock("billing").acquire()) {
            assertThat(second.isHeld()).isTrue();
            // The judge counts a hold from its grant in Redis for as long as its client has measured, so it finds
            // less by the time that the answer took.
            Thread.sleep(HELD_TOGETHER.plus(answered).toMillis());
        }
        assertThatThrownBy(first::close).isInstanceOf(LeaseLostException.class);
        awaitLines("released", 1);
        awaitLines("lost", 1);
        assertThat(judge()).isEqualTo(CheckReport.BROKEN);
        assertThat(said).containsPattern("lock `billing`: two holders for \\d{3,} ms at ");
    }

    private LockClient locks(int instance) {
        return instances.get(instance).getBean(LockClient.class);
    }

    private Path log() {
        return folder.resolve("shop.log");
    }

    private void awaitLines(String event, int count) {
        Await.until(count + " lines " + event, PATIENCE, () -> {
            try {
                return Files.readString(log()).split("\"event\":\"" + event, -1).length - 1 == count;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private int judge() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int code = Judge.run(List.of(log().toString()), new PrintStream(bytes, true, StandardCharsets.UTF_8));
        said = bytes.toString(StandardCharsets.UTF_8);
        return code;
    }

    private ConfigurableApplicationContext instance(String name) {
        return new SpringApplicationBuilder(Application.class)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.main.web-application-type=none",
                        "spring.data.redis.port=" + server.port(),
                        "spring.data.redis.host=127.0.0.1",
                        "holdfast.client-name=" + name,
                        "logging.level.dev.holdfast.lock.events=debug",
                        "logging.file.name=" + log())
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
