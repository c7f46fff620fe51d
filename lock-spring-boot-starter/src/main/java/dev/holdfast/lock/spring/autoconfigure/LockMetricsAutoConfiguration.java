package dev.holdfast.lock.spring.autoconfigure;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.metrics.CallMetrics;
import dev.holdfast.lock.spring.metrics.ClientMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Auto-configuration for the meters of locks. */
@AutoConfiguration(
        after = LockAutoConfiguration.class,
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
    CallMetrics lockCallMetrics(MeterRegistry registry) {
        return new CallMetrics(registry);
    }
}
