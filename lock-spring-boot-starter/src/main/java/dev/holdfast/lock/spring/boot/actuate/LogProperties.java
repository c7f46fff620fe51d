package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.spring.declaration.FeatureSettings;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * The properties of the name in log lines.
 *
 * @param mdcKey MDC key under which a method's log lines carry the name of its lock. If it is not set, log lines do not carry the name.
 */
@ConfigurationProperties("holdfast")
record LogProperties(@Nullable String mdcKey) implements FeatureSettings.Properties {
    LogProperties {
        if (mdcKey != null && mdcKey.isBlank()) {
            throw new InvalidConfigurationPropertyValueException(
                    "holdfast.mdc-key", mdcKey, "it must not be blank. Leave it out to switch it off");
        }
    }
}
