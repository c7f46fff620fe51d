package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.boot.LockAutoConfiguration;
import dev.holdfast.lock.spring.boot.LockInterceptorAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Auto-configuration for the meters of the lock client, and for those of observations where the application has no registry of observations. */
@AutoConfiguration(
        after = {LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class},
        afterName = {
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnSingleCandidate(LockClient.class)
public final class LockMeterAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LockMetrics holdfastMetrics(LockClient client) {
        return new LockMetrics(client);
    }

    @Bean
    @ConditionalOnMissingBean({ObservationRegistry.class, DefaultMeterObservationHandler.class})
    DefaultMeterObservationHandler holdfastMeterObservationHandler(MeterRegistry registry) {
        return new DefaultMeterObservationHandler(registry);
    }
}
