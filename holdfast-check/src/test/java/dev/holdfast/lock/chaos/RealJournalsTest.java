package dev.holdfast.lock.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.LockJournal;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** Two applications keep journals, and the judge reads them. */
@Timeout(120)
class RealJournalsTest {

    private static final Duration PATIENCE = Await.PATIENCE;
    private static final Duration HELD_TOGETHER = Duration.ofMillis(300);

    @TempDir
    private Path folder;

    private final RedisServer server = RedisServer.start();
    private final List<ConfigurableApplicationContext> instances = List.of(instance("one"), instance("two"));
    private String said = "";

    @AfterEach
    void stop() {
        instances.forEach(ConfigurableApplicationContext::close);
        server.close();
    }

    @Test
    void instancesThatTakeTurnsDoNotOverlap() throws IOException, InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            LockClient locks = locks(i % 2);
            Thread thread = new Thread(() -> {
                for (int n = 0; n < 50; n++) {
                    locks.getLock("billing").acquire().close();
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(judge()).as(said).isZero();
        assertThat(said).contains("2 instances, ").contains("Verdict: no lock had two holders from ");
    }

    @Test
    void lockThatRedisForgetsHasTwoHolders() throws IOException, InterruptedException {
        Lease first = locks(0).getLock("billing").acquire();
        server.cli().del("billing");
        try (Lease second = locks(1).getLock("billing").acquire()) {
            assertThat(second.isHeld()).isTrue();
            // On a busy machine, the journal notes a grant later.
            Await.until("the grant is noted", PATIENCE, () -> journal(1).contains("billing"));
            // Both work for so long, which the judge must find.
            Thread.sleep(HELD_TOGETHER.toMillis());
        }
        assertThatThrownBy(first::close).isInstanceOf(LeaseLostException.class);
        assertThat(judge()).isEqualTo(CheckReport.BROKEN);
        assertThat(said).containsPattern("lock `billing`: two holders for \\d{3,} ms at ");
    }

    private LockClient locks(int instance) {
        return instances.get(instance).getBean(LockClient.class);
    }

    private String journal(int instance) {
        LockJournal.Contents journal =
                instances.get(instance).getBean(LockJournal.class).read();
        return JsonMapper.builder().build().writeValueAsString(journal);
    }

    private int judge() throws IOException {
        List<String> files = new ArrayList<>();
        while (files.size() < instances.size()) {
            Path file = folder.resolve(files.size() + ".json");
            Files.writeString(file, journal(files.size()));
            files.add(file.toString());
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int code = Judge.run(files, new PrintStream(bytes, true, StandardCharsets.UTF_8));
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
                        "holdfast.journal-size=2000")
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
