package dev.holdfast.lock.spring.fencing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.fixture.Database;
import dev.holdfast.lock.testing.RedisServer;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.jdbc.core.mapping.JdbcMappingContext;

/** The beans that the module adds to an application of Spring Boot. */
class FencingBeansTest {

    private static Stream<String> parts() {
        List<String> parts = StreamSupport.stream(
                        ImportCandidates.load(AutoConfiguration.class, null).spliterator(), false)
                .filter(name -> name.startsWith(ArchitectureTest.FENCING + "."))
                .toList();
        assertThat(parts).hasSize(3);
        return parts.stream();
    }

    /** Each part is an auto-configuration that an application can exclude. */
    @ParameterizedTest
    @MethodSource("parts")
    void applicationRunsWithoutThePart(String part) {
        try (ConfigurableApplicationContext context = application("spring.autoconfigure.exclude=" + part)) {
            assertThat(parts()).filteredOn(context::containsBean).hasSize(2).doesNotContain(part);
            assertThat(context.getBean(Job.class).run()).isEqualTo("ran");
        }
    }

    /** Like those of the starter. A proxy creator of the application that applies to every bean would fail on their classes. */
    @Test
    void postProcessorsOfTheApplicationDoNotSeeThem() {
        try (ConfigurableApplicationContext context = application("holdfast.fence-table=holdfast_fence")) {
            assertThat(context.getBeanFactory().getBeanDefinitionNames())
                    .filteredOn(name -> name.matches("holdfast(Fence|Guard|Jdbc).*"))
                    .hasSize(5)
                    .allSatisfy(name -> assertThat(((AbstractBeanDefinition)
                                            context.getBeanFactory().getBeanDefinition(name))
                                    .isSynthetic())
                            .as(name)
                            .isTrue());
        }
    }

    @Test
    void guardedRedisIsCreatedWhenSomethingNeedsIt() {
        try (ConfigurableApplicationContext context = application()) {
            assertThat(context.getBeanFactory().getSingletonNames()).doesNotContain("holdfastGuardedRedis");
            assertThat(context.getBean(GuardedRedis.class)).isNotNull();
        }
    }

    @Test
    void withoutSpringDataJdbcThereAreNoAggregatesToFence() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(LockFencingAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader(JdbcMappingContext.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockFencingAutoConfiguration.class));
    }

    private static ConfigurableApplicationContext application(String... properties) {
        return new SpringApplicationBuilder(Application.class, Job.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.jmx.enabled=false",
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.port=" + RedisServer.shared().port())
                .properties(properties)
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        DataSource database() {
            DataSource database = Database.empty();
            FenceTableTest.Schema.create(database);
            return database;
        }
    }

    static class Job {
        @Unfenced
        @DistributedLock(name = "left-out")
        public String run() {
            return "ran";
        }
    }
}
