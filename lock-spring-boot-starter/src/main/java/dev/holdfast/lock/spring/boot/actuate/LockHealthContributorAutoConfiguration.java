package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.boot.LockAutoConfiguration;
import dev.holdfast.lock.spring.boot.LockInterceptorAutoConfiguration;
import dev.holdfast.lock.spring.boot.actuate.LockHealthIndicator.RecentLosses;
import dev.holdfast.lock.spring.declaration.FeatureReport;
import dev.holdfast.lock.spring.declaration.LockSettings;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Auto-configuration for the health contributor {@code holdfast}. */
@AutoConfiguration(after = {LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class})
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnEnabledHealthIndicator("holdfast")
@EnableConfigurationProperties(LockHealthContributorAutoConfiguration.LockHealthProperties.class)
@ConditionalOnSingleCandidate(LockClient.class)
public final class LockHealthContributorAutoConfiguration {

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
    RecentLosses holdfastRecentLosses(LockHealthProperties properties) {
        return new RecentLosses(properties.lossWindow());
    }

    @Bean
    @ConditionalOnMissingBean(name = "holdfastHealthIndicator")
    @Lazy(false)
    LockHealthIndicator holdfastHealthIndicator(
            LockClient client,
            RecentLosses losses,
            ObjectProvider<FeatureReport> features,
            LockHealthProperties health,
            ObjectProvider<LockSettings.Source> settings) {
        return new LockHealthIndicator(
                client,
                losses,
                () -> {
                    Map<String, Object> details = new LinkedHashMap<>();
                    features.orderedStream().forEach(feature -> details.putAll(feature.health()));
                    return details;
                },
                health.timeout(),
                settings.getIfAvailable(() -> new LockSettings.Source() {}).watchdogTimeout());
    }
}
