package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.boot.LockAutoConfiguration;
import dev.holdfast.lock.spring.boot.actuate.LockHealthIndicator.RecentLosses;
import java.time.Duration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Auto-configuration for the health contributor {@code holdfast}. */
@AutoConfiguration(after = LockAutoConfiguration.class)
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnSingleCandidate(LockClient.class)
@ConditionalOnEnabledHealthIndicator("holdfast")
@EnableConfigurationProperties(LockHealthContributorAutoConfiguration.LockHealthProperties.class)
public final class LockHealthContributorAutoConfiguration {

    /**
     * Thresholds of the health of locks.
     *
     * @param timeout Time within which Redis must answer. Locks are down otherwise.
     * @param lossWindow Time for which a lost lease degrades the health.
     */
    @ConfigurationProperties(LockHealthProperties.PREFIX)
    public record LockHealthProperties(
            @DefaultValue("1s") Duration timeout,
            @DefaultValue("5m") Duration lossWindow) {

        /** Beside the switch that Spring Boot gives to each health contributor. */
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
    RecentLosses holdfastRecentLosses(LockHealthProperties properties) {
        return new RecentLosses(properties.lossWindow());
    }

    @Bean
    @ConditionalOnMissingBean(name = "holdfastHealthIndicator")
    LockHealthIndicator holdfastHealthIndicator(
            LockClient client, RecentLosses losses, LockHealthProperties health, Environment environment) {
        Duration watchdogTimeout = Binder.get(environment)
                .bind("holdfast.watchdog-timeout", Duration.class)
                .orElse(Duration.ofSeconds(30));
        return new LockHealthIndicator(client, losses, health.timeout(), watchdogTimeout);
    }
}
