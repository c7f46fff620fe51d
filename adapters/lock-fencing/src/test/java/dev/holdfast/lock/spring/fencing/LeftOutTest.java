package dev.holdfast.lock.spring.fencing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.testing.RedisServer;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Each part of the module is an auto-configuration that an application can exclude. */
class LeftOutTest {

    private static Stream<String> parts() {
        List<String> parts = StreamSupport.stream(
                        ImportCandidates.load(AutoConfiguration.class, null).spliterator(), false)
                .filter(name -> name.startsWith(ArchitectureTest.FENCING + "."))
                .toList();
        assertThat(parts).hasSize(3);
        return parts.stream();
    }

    @ParameterizedTest
    @MethodSource("parts")
    void applicationRunsWithoutThePart(String part) {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class, Job.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.jmx.enabled=false",
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.port=" + RedisServer.shared().port(),
                        "spring.datasource.generate-unique-name=true",
                        "spring.autoconfigure.exclude=" + part)
                .run()) {
            assertThat(context.containsBean(part)).isFalse();
            assertThat(parts()).filteredOn(context::containsBean).hasSize(2);
            assertThat(context.getBean(Job.class).run()).isEqualTo("ran");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    static class Job {
        @Unfenced
        @DistributedLock(name = "left-out")
        public String run() {
            return "ran";
        }
    }
}
