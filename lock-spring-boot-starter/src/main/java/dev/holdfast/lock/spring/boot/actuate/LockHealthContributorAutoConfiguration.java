package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.boot.LockAutoConfiguration;
import dev.holdfast.lock.spring.boot.LockProperties;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Auto-configuration for the health contributor {@code distributedLock}. */
@AutoConfiguration(after = LockAutoConfiguration.class)
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnSingleCandidate(LockClient.class)
@ConditionalOnEnabledHealthIndicator("distributedlock")
@EnableConfigurationProperties({LockProperties.class, LockHealthProperties.class})
public final class LockHealthContributorAutoConfiguration {

    @Bean
    RecentLosses recentLockLosses(LockHealthProperties properties) {
        return new RecentLosses(properties.lossWindow());
    }

    @Bean
    @ConditionalOnMissingBean(name = "distributedLockHealthIndicator")
    DistributedLockHealthIndicator distributedLockHealthIndicator(
            LockClient client, RecentLosses losses, LockHealthProperties health, LockProperties properties) {
        return new DistributedLockHealthIndicator(client, losses, health.timeout(), properties.watchdogTimeout());
    }
}
