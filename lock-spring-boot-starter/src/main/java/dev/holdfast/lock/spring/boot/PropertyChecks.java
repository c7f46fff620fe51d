package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.interceptor.LockSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** What cannot be a setting is refused at start-up, by the name that it has in the configuration. */
final class PropertyChecks {

    private static final Duration SHORTEST_POLL = Duration.ofMillis(1);
    private static final Duration SHORTEST_THRESHOLD = Duration.ofMillis(1);

    private PropertyChecks() {}

    static void check(LockProperties properties) {
        String prefix = LockProperties.PREFIX + ".";
        withoutPlaceholder(prefix + "key-prefix", properties.keyPrefix());
        withoutPlaceholder(prefix + "client-name", properties.clientName());
        atLeast(prefix + "watchdog-timeout", properties.watchdogTimeout(), AcquireOptions.MIN_LEASE);
        atMost(prefix + "watchdog-timeout", properties.watchdogTimeout(), AcquireOptions.MAX_LEASE);
        atLeast(prefix + "poll-interval", properties.pollInterval(), SHORTEST_POLL);
        atLeast(prefix + "long-hold-threshold", properties.longHoldThreshold(), SHORTEST_THRESHOLD);
        atLeast(prefix + "shutdown-grace", properties.shutdownGrace(), Duration.ZERO);
        if (properties.mdcKey() != null && properties.mdcKey().isBlank()) {
            throw refused(
                    prefix + "mdc-key", properties.mdcKey(), "it must not be blank. Leave it out to switch it off");
        }
        if (properties.minReplicas() < 0) {
            throw refused(prefix + "min-replicas", properties.minReplicas(), "it must not be negative");
        }
    }

    private static void withoutPlaceholder(String name, @Nullable String value) {
        if (value != null && value.contains("${")) {
            throw refused(
                    name,
                    value,
                    "it holds a placeholder that nothing gives a value to. Set the property that it names, or give it a default as in"
                            + " ${spring.application.name:app}");
        }
    }

    static void check(String prefix, LockSettings settings) {
        atLeast(prefix + "wait-time", settings.waitTime(), Duration.ZERO);
        atLeast(prefix + "lease-time", settings.leaseTime(), AcquireOptions.MIN_LEASE);
        atMost(prefix + "lease-time", settings.leaseTime(), AcquireOptions.MAX_LEASE);
        atLeast(prefix + "min-hold", settings.minHold(), Duration.ZERO);
        atMost(prefix + "min-hold", settings.minHold(), AcquireOptions.MAX_LEASE);
        atLeast(prefix + "max-hold", settings.maxHold(), AcquireOptions.MIN_LEASE);
        notLongerThanMaxHold(prefix, "min-hold", settings.minHold(), settings.maxHold());
        notLongerThanMaxHold(prefix, "lease-time", settings.leaseTime(), settings.maxHold());
    }

    private static void notLongerThanMaxHold(
            String prefix, String what, @Nullable Duration length, @Nullable Duration maxHold) {
        if (length != null && maxHold != null && length.compareTo(maxHold) > 0) {
            throw refused(
                    prefix + what,
                    length,
                    "it is longer than " + prefix + "max-hold, which is " + LogText.time(maxHold)
                            + ". Shorten the one or lengthen the other");
        }
    }

    private static void atLeast(String name, @Nullable Duration value, Duration bound) {
        if (value != null && value.compareTo(bound) < 0) {
            throw refused(name, value, "it must be at least " + LogText.time(bound) + ", was " + LogText.time(value));
        }
    }

    private static void atMost(String name, @Nullable Duration value, Duration bound) {
        if (value != null && value.compareTo(bound) > 0) {
            throw refused(name, value, "it must be at most " + LogText.time(bound) + ", was " + LogText.time(value));
        }
    }

    static InvalidConfigurationPropertyValueException refused(String name, @Nullable Object value, String reason) {
        return new InvalidConfigurationPropertyValueException(name, value, reason);
    }
}
