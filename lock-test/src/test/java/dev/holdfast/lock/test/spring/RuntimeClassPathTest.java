package dev.holdfast.lock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.testing.RedisServer;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** Applications whose class path has this module although no test of Spring starts them, as in production without the scope "test". */
@ExtendWith(OutputCaptureExtension.class)
class RuntimeClassPathTest {

    private final RedisServer server = RedisServer.shared();
    private final String order = UUID.randomUUID().toString();

    @Test
    void twoInstancesLockInRedisAndEachLogsWhyOnce(CapturedOutput log) {
        int before = log.length();
        try (ConfigurableApplicationContext one = start();
                ConfigurableApplicationContext two = start()) {
            var client = two.getBean(LockClient.class);
            var held = one.getBean(LockClient.class).getLock(order).acquire();

            assertThat(client).isInstanceOf(RedisLockClient.class);
            assertThat(server.cli().exists(order)).isOne();
            assertThat(client.getLock(order).tryAcquire()).isEmpty();
            assertThat(held.isHeld()).isTrue();
        }
        assertThat(warnings(log, before))
                .hasSize(2)
                .allSatisfy(
                        line -> assertThat(line).contains("WARN", "keeps its locks in Redis", "testImplementation"));
    }

    @Test
    void processThatWantsRedisIsNotWarned(CapturedOutput log) {
        int before = log.length();
        try (ConfigurableApplicationContext application = start("--holdfast.test.in-memory=false")) {
            assertThat(application.getBean(LockClient.class)).isInstanceOf(RedisLockClient.class);
        }
        assertThat(warnings(log, before)).isEmpty();
    }

    /** The captured output begins with that of the tests before. */
    private static List<String> warnings(CapturedOutput log, int before) {
        return log.getAll()
                .substring(before)
                .lines()
                .filter(line -> line.contains("lock-test is on the class path"))
                .toList();
    }

    private ConfigurableApplicationContext start(String... arguments) {
        SpringApplication application = new SpringApplication(LockedApplication.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        return application.run(Stream.concat(
                        Arrays.stream(arguments),
                        Stream.of(
                                "--spring.data.redis.host=127.0.0.1",
                                "--spring.data.redis.port=" + server.port(),
                                "--holdfast.shutdown-grace=0s"))
                .toArray(String[]::new));
    }
}
