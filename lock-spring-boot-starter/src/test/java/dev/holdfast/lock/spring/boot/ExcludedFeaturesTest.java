package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.StringUtils;

/** What an application can exclude is an auto-configuration. */
class ExcludedFeaturesTest {

    private static final List<String> NEEDED =
            List.of(LockAutoConfiguration.class.getName(), LockInterceptorAutoConfiguration.class.getName());

    private static Stream<String> features() {
        return StreamSupport.stream(
                        ImportCandidates.load(AutoConfiguration.class, null).spliterator(), false)
                .filter(name -> name.startsWith("dev.holdfast.lock.spring.") && !NEEDED.contains(name));
    }

    @ParameterizedTest
    @MethodSource("features")
    @Nightly(inEachBuild = "ArchitectureTest: features do not know each other")
    void applicationRunsWithoutTheFeature(String feature) {
        try (ConfigurableApplicationContext context = application(feature, Job.class)) {
            assertThat(context.containsBean(feature)).isFalse();
            assertThat(context.getBean(Job.class).run()).isEqualTo("ran");
        }
    }

    @Test
    void featuresAreAskedInTheOrderOfTheArchitecturePage() throws IOException {
        assertThat(found("\\| `(\\w+)` \\|", "../docs/contributing/architecture.md"))
                .containsSubsequence(found(
                        "(?i)(\\w+)(?:::|\\.)feature\\b",
                        "src/main/java/dev/holdfast/lock/spring/boot/LockInterceptionConfiguration.java"));
    }

    private static List<String> found(String pattern, String file) throws IOException {
        return Pattern.compile(pattern)
                .matcher(Files.readString(Path.of(file)))
                .results()
                .map(row -> StringUtils.capitalize(row.group(1)))
                .toList();
    }

    private static ConfigurableApplicationContext application(String excluded, Class<?> bean) {
        return new SpringApplicationBuilder(Application.class, bean)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.jmx.enabled=false",
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.port=" + RedisServer.shared().port(),
                        "spring.autoconfigure.exclude=" + excluded)
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    static class Job {
        @DistributedLock(name = "excluded-features")
        public String run() {
            return "ran";
        }
    }
}
