package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.RunOnce;
import dev.holdfast.lock.spring.call.LockFeature;
import dev.holdfast.lock.spring.job.LockJobAutoConfiguration;
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
import org.springframework.core.NestedExceptionUtils;
import org.springframework.scheduling.annotation.Scheduled;

/** Each feature is an auto-configuration that an application can exclude. */
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
    @Nightly(inEachBuild = "the refusals below, and ArchitectureTest: features do not know each other")
    void applicationRunsWithoutTheFeature(String feature) {
        try (ConfigurableApplicationContext context = application(feature, Job.class)) {
            assertThat(context.containsBean(feature)).isFalse();
            assertThat(context.getBean(Job.class).run()).isEqualTo("ran");
        }
    }

    @Test
    void featuresAreAskedInTheOrderOfTheArchitecturePage() throws IOException {
        List<String> page = Pattern.compile("\\| `(\\w+)` \\|")
                .matcher(Files.readString(Path.of("../docs/contributing/architecture.md")))
                .results()
                .map(row -> row.group(1))
                .toList();
        try (ConfigurableApplicationContext context = application("", Job.class)) {
            List<String> asked = context.getBeanProvider(LockFeature.class)
                    .orderedStream()
                    .map(feature -> feature.getClass().getSimpleName())
                    .toList();
            assertThat(page).containsSubsequence(asked).containsOnlyOnceElementsOf(asked);
            assertThat(asked).isNotEmpty();
        }
    }

    @Test
    void tickIsRefusedWithoutWhatRunsItOnce() {
        assertRefused(TickingJob.class, "'oncePerTick' means nothing");
    }

    @Test
    void runOnceIsRefusedWithoutWhatRunsItOnce() {
        assertRefused(Migration.class, "'onFailure' means nothing");
    }

    private static void assertRefused(Class<?> bean, String problem) {
        assertThatThrownBy(() -> application(LockJobAutoConfiguration.class.getName(), bean)
                        .close())
                .extracting(NestedExceptionUtils::getMostSpecificCause)
                .isInstanceOfSatisfying(
                        InvalidLockDeclarationException.class,
                        refusal -> assertThat(refusal)
                                .hasMessageContainingAll(problem, "Do not exclude the auto-configuration"));
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
                .properties(features()
                        .filter(feature -> feature.endsWith(".LockNameInLogsAutoConfiguration"))
                        .map(feature -> "holdfast.mdc-key=lock")
                        .toArray(String[]::new))
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

    static class TickingJob {
        @Scheduled(cron = "0 0 0 1 1 *")
        @DistributedLock(name = "excluded-ticks", oncePerTick = true)
        public void run() {}
    }

    static class Migration {
        @RunOnce(name = "excluded-runs", per = "1")
        public void run() {}
    }
}
