package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.boot.LockAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Auto-configuration for the meters of locks. */
@AutoConfiguration(
        after = {LockAutoConfiguration.class, LockObservationAutoConfiguration.class},
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnSingleCandidate(LockClient.class)
@ConditionalOnBean(MeterRegistry.class)
public final class LockMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    ClientMetrics lockClientMetrics(LockClient client) {
        return new ClientMetrics(client);
    }

    @Bean
    @ConditionalOnMissingBean
    CallLosses lockCallLosses(MeterRegistry registry) {
        return new CallLosses(registry);
    }

    /** Where calls are observed, the observations bring these timers. */
    @Bean
    @ConditionalOnMissingBean({CallTimers.class, LockObservations.class})
    CallTimers lockCallTimers(MeterRegistry registry) {
        return new CallTimers(registry);
    }
}
