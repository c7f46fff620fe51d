package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.boot.actuate.DistributedLockHealthIndicator;
import dev.holdfast.lock.spring.boot.actuate.LockHealthContributorAutoConfiguration;
import dev.holdfast.lock.testing.RedisServer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.availability.ApplicationAvailabilityBean;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.application.AvailabilityHealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Where the health of locks shows, and where it does not. */
class LockHealthContributorAutoConfigurationTest {

    private final ApplicationContextRunner application = Contexts.on(RedisServer.shared())
            .withConfiguration(AutoConfigurations.of(
                    LockHealthContributorAutoConfiguration.class,
                    EndpointAutoConfiguration.class,
                    HealthContributorAutoConfiguration.class,
                    HealthContributorRegistryAutoConfiguration.class,
                    AvailabilityHealthContributorAutoConfiguration.class,
                    AvailabilityProbesAutoConfiguration.class,
                    HealthEndpointAutoConfiguration.class))
            .withBean(ApplicationAvailabilityBean.class)
            .withPropertyValues("holdfast.health.timeout=20s", "management.endpoint.health.probes.enabled=true");

    @Test
    void contributorIsCalledDistributedLock() {
        application.run(context -> assertThat(context.getBean(HealthEndpoint.class)
                        .healthForPath("distributedLock")
                        .getStatus())
                .isEqualTo(Status.UP));
    }

    @Test
    void livenessNeverAsksForLocks() {
        application.run(context -> assertThat(
                        context.getBean(HealthEndpoint.class).healthForPath("liveness", "distributedLock"))
                .isNull());
    }

    @Test
    void readinessAsksForLocksWhereItIsToldTo() {
        application
                .withPropertyValues("management.endpoint.health.group.readiness.include=readinessState,distributedLock")
                .run(context -> assertThat(context.getBean(HealthEndpoint.class)
                                .healthForPath("readiness", "distributedLock")
                                .getStatus())
                        .isEqualTo(Status.UP));
    }

    @Test
    void isAbsentWhenSwitchedOff() {
        application
                .withPropertyValues("management.health.distributedlock.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(DistributedLockHealthIndicator.class));
    }

    @Test
    void isAbsentWithoutLocks() {
        application
                .withPropertyValues("holdfast.enabled=false")
                .run(context ->
                        assertThat(context).hasNotFailed().doesNotHaveBean(DistributedLockHealthIndicator.class));
    }

    @Test
    void applicationWithoutHealthOnItsClassPathStarts() {
        Contexts.on(RedisServer.shared())
                .withUserConfiguration(FoundByName.class)
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("distributedLockHealthIndicator"));
    }

    @Test
    void applicationsOwnIndicatorReplacesIt() {
        HealthIndicator own = () -> null;
        application
                .withBean("distributedLockHealthIndicator", HealthIndicator.class, () -> own)
                .run(context -> assertThat(context.getBean("distributedLockHealthIndicator"))
                        .isSameAs(own));
    }

    /** As an application imports it: by its name, without loading the class. */
    @ImportAutoConfiguration(LockHealthContributorAutoConfiguration.class)
    static class FoundByName {}
}
