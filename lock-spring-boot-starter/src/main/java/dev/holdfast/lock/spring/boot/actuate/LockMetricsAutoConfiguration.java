package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.boot.LockAutoConfiguration;
import dev.holdfast.lock.spring.interceptor.LockObservations;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.slf4j.MDC;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Auto-configuration for the observations of annotated calls, and for the meters of the lock client. The observations go to the application's
 * {@link ObservationRegistry}. An application without one gets its timers from a registry of our own.
 */
@AutoConfiguration(
        after = LockAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnSingleCandidate(LockClient.class)
public final class LockMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LockObservations holdfastObservations(
            ObjectProvider<ObservationRegistry> registry, ObjectProvider<ObservationHandler<?>> handlers) {
        return new LockObservations(registry.getIfUnique(() -> {
            ObservationRegistry own = ObservationRegistry.create();
            handlers.orderedStream().forEach(own.observationConfig()::observationHandler);
            return own;
        }));
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    @ConditionalOnBean(MeterRegistry.class)
    static class Measured {

        @Bean
        @ConditionalOnMissingBean
        LockMetrics holdfastMetrics(LockClient client) {
            return new LockMetrics(client);
        }

        @Bean
        static MeterFilter holdfastMeterDescriptions() {
            return LockMetrics.descriptions();
        }

        @Bean
        @ConditionalOnMissingBean({ObservationRegistry.class, DefaultMeterObservationHandler.class})
        DefaultMeterObservationHandler holdfastMeterObservationHandler(MeterRegistry registry) {
            return new DefaultMeterObservationHandler(registry);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MDC.class)
    @ConditionalOnProperty("holdfast.mdc-key")
    static class NamedInLogs {

        @Bean
        LockNameInLogs holdfastLockNameInLogs(@Value("${holdfast.mdc-key}") String key) {
            return new LockNameInLogs(key);
        }
    }
}
