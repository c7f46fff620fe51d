package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.LockPauses;
import dev.holdfast.lock.spring.boot.LockAutoConfiguration;
import dev.holdfast.lock.spring.boot.LockInterceptorAutoConfiguration;
import dev.holdfast.lock.spring.boot.actuate.LockHealthIndicator.RecentLosses;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.observe.CallHistories;
import dev.holdfast.lock.spring.observe.LockObservations;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import org.slf4j.MDC;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for monitoring locks: observations of annotated calls, meters of the lock client, the health contributor {@code holdfast} and
 * the endpoint {@code locks}. Observations go to the application's registry; if there is none, to a registry of the starter.
 */
@AutoConfiguration(
        after = {LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class},
        afterName = {
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnSingleCandidate(LockClient.class)
public final class LockActuatorAutoConfiguration {

    /**
     * Thresholds for the health of locks.
     *
     * @param timeout Time within which Redis must answer. If it does not, locks are reported as down.
     * @param lossWindow Time for which a lost lease degrades the health.
     */
    @ConfigurationProperties(LockHealthProperties.PREFIX)
    public record LockHealthProperties(
            @DefaultValue("1s") Duration timeout,
            @DefaultValue("5m") Duration lossWindow) {
        /** The prefix of these properties. Spring Boot's switch of this health contributor has the same prefix. */
        public static final String PREFIX = "management.health.holdfast";

        public LockHealthProperties {
            if (timeout.isNegative() || timeout.isZero()) {
                throw invalid("timeout", timeout, "it must be longer than 0");
            }
            if (lossWindow.isNegative()) {
                throw invalid("loss-window", lossWindow, "it must not be negative");
            }
        }

        private static RuntimeException invalid(String name, Duration value, String reason) {
            String was = reason + ", was " + LogText.time(value);
            return new InvalidConfigurationPropertyValueException(PREFIX + "." + name, value, was);
        }
    }

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

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HealthIndicator.class)
    @ConditionalOnEnabledHealthIndicator("holdfast")
    @EnableConfigurationProperties(LockHealthProperties.class)
    static class Healthy {
        @Bean
        RecentLosses holdfastRecentLosses(LockHealthProperties properties) {
            return new RecentLosses(properties.lossWindow());
        }

        @Bean
        @ConditionalOnMissingBean(name = "holdfastHealthIndicator")
        LockHealthIndicator holdfastHealthIndicator(
                LockClient client,
                RecentLosses losses,
                ObjectProvider<LockPauses> pauses,
                LockHealthProperties health,
                Environment environment) {
            Duration watchdogTimeout = Binder.get(environment)
                    .bind("holdfast.watchdog-timeout", Duration.class)
                    .orElse(Duration.ofSeconds(30));
            return new LockHealthIndicator(
                    client,
                    losses,
                    () -> pauses.stream().flatMap(known -> known.all().stream()).toList(),
                    health.timeout(),
                    watchdogTimeout);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    @ConditionalOnAvailableEndpoint(LocksEndpoint.class)
    static class Exposed {
        @Bean
        @ConditionalOnMissingBean
        LocksEndpoint holdfastLocksEndpoint(
                LockClient client,
                ObjectProvider<DeclaredLocks> declaredLocks,
                ObjectProvider<CallHistories> histories,
                ObjectProvider<LockPauses> pauses,
                ApplicationEventPublisher events) {
            return new LocksEndpoint(client, declaredLocks, histories, pauses, events);
        }
    }
}
