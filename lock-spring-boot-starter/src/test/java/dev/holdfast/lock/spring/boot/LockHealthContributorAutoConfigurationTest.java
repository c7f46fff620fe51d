package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.boot.actuate.LockHealthContributorAutoConfiguration;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Where the health of locks shows, and where it does not. */
class LockHealthContributorAutoConfigurationTest {

    private final ApplicationContextRunner application = Contexts.on(RedisServer.shared())
            .withConfiguration(AutoConfigurations.of(LockHealthContributorAutoConfiguration.class));

    @Test
    void isAbsentWhenSwitchedOff() {
        application
                .withPropertyValues("management.health.holdfast.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean("holdfastHealthIndicator"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"timeout=0s", "timeout=-1s", "loss-window=-1s"})
    void thresholdThatCannotWorkFailsStartup(String property) {
        String threshold = "management.health.holdfast." + property;
        application
                .withPropertyValues(threshold)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining(threshold.substring(0, threshold.indexOf('='))));
    }

    @Test
    void isAbsentWithoutALockClient() {
        application
                .withClassLoader(new FilteredClassLoader(RedisClient.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("holdfastHealthIndicator"));
    }

    @Test
    void applicationWithoutHealthOnItsClassPathStarts() {
        Contexts.on(RedisServer.shared())
                .withUserConfiguration(FoundByName.class)
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("holdfastHealthIndicator"));
    }

    @Test
    void applicationsOwnIndicatorReplacesIt() {
        HealthIndicator own = () -> null;
        application
                .withBean("holdfastHealthIndicator", HealthIndicator.class, () -> own)
                .run(context ->
                        assertThat(context.getBean("holdfastHealthIndicator")).isSameAs(own));
    }

    /** As an application imports it: by its name, without loading the class. */
    @ImportAutoConfiguration(LockHealthContributorAutoConfiguration.class)
    static class FoundByName {}
}
