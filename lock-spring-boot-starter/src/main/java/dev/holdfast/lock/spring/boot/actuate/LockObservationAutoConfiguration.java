package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.boot.LockAutoConfiguration;
import dev.holdfast.lock.spring.boot.LockProperties;
import io.micrometer.observation.ObservationRegistry;
import java.util.Objects;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Auto-configuration for the observations of locks, and for their names in the logs. */
@AutoConfiguration(
        after = LockAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnSingleCandidate(LockClient.class)
public final class LockObservationAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ObservationRegistry.class)
    @ConditionalOnBean(ObservationRegistry.class)
    static class Observed {

        @Bean
        @ConditionalOnMissingBean
        LockObservations lockObservations(ObservationRegistry registry) {
            return new LockObservations(registry);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MDC.class)
    @ConditionalOnProperty("holdfast.mdc-key")
    static class NamedInLogs {

        @Bean
        LockNameInLogs lockNameInLogs(LockProperties properties) {
            return new LockNameInLogs(Objects.requireNonNull(properties.mdcKey()));
        }
    }
}
