package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.spring.LockStartupException;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.declaration.LockSettings;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.ClassUtils;

/**
 * The properties {@code holdfast.*}. For annotated methods, the annotation overrides these settings for all locks, and {@code locks} overrides the
 * annotation. The client's default applies where nothing is set.
 *
 * @param enabled Whether annotated methods are locked. If false, they run without their locks. The lock client bean still exists.
 * @param keyPrefix Text before every lock's name in Redis. May contain placeholders.
 * @param watchdogTimeout Time after which a crashed holder's lock expires. A live holder renews it each time a third of this has passed.
 * @param waitTime How long a call waits for a busy lock. Applies to annotated methods and to the lock client.
 * @param leaseTime Length of the lease of annotated methods. If it is not set, the lease is renewed while the method runs.
 * @param minHold Minimum hold time. The lock stays taken that long even if the method returns earlier.
 * @param maxHold Maximum hold time. When it ends, the lock is released even if the method is still running.
 * @param onBusy What to do when the lock cannot be acquired within the wait time.
 * @param onUnavailable What to do when Redis is unavailable.
 * @param onLost What to do when the lease is lost while the method runs.
 * @param minReplicas How many replicas must confirm an acquisition before it counts.
 * @param failoverGrace How long Redis grants no lock after a failover or a loss of data, so that runs under way keep theirs. Two thirds of it are for
 * the longest lease.
 * @param separateSlots Whether each script uses keys of one slot only, as with a cluster. For a service or proxy that spreads keys but accepts every
 * script.
 * @param failFast Whether the application refuses to start while Redis cannot be reached.
 * @param clientName Name of this instance in Redis. Callers that are refused a lock see this name as its holder. May contain placeholders.
 * @param shutdownGrace How long running methods keep their locks when the application stops.
 * @param pausable Whether scheduled methods can be paused on all instances. Each of their runs then asks Redis for pauses.
 * @param fenceTable Name of the table that fences the transactions of locked methods. If it is not set, none is fenced. Needs lock-fencing.
 * @param fenceDataSources Bean names of the data sources whose transactions are fenced. By default, the only or primary one. Needs lock-fencing.
 * @param order Position of the lock among a method's advisors. A lower value is further out.
 * @param locks Settings of single locks, by the name that the annotation declares. They override the annotation.
 */
@ConfigurationProperties(prefix = LockProperties.PREFIX, ignoreUnknownFields = false)
record LockProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("") String keyPrefix,
        @DefaultValue("30s") Duration watchdogTimeout,
        @Nullable Duration waitTime,
        @Nullable Duration leaseTime,
        @Nullable Duration minHold,
        @Nullable Duration maxHold,
        @Nullable OnBusy onBusy,
        @Nullable OnUnavailable onUnavailable,
        @Nullable OnLost onLost,
        @DefaultValue("0") int minReplicas,
        @DefaultValue("0s") Duration failoverGrace,
        @DefaultValue("false") boolean separateSlots,
        @DefaultValue("false") boolean failFast,
        @Nullable String clientName,
        @DefaultValue("20s") Duration shutdownGrace,
        @Nullable Boolean pausable,
        @Nullable String fenceTable,
        @DefaultValue Set<String> fenceDataSources,
        @DefaultValue("2147483547") int order,
        @DefaultValue Map<String, LockSettings> locks)
        implements LockSettings.Source {

    static final String PREFIX = "holdfast";

    private static final String FENCING = "dev.holdfast.lock.spring.fencing.FencedBy";

    @Override
    public LockSettings defaults() {
        return new LockSettings(null, waitTime, leaseTime, minHold, maxHold, onBusy, onUnavailable, onLost, pausable);
    }

    /** Returns the settings of a lock. Its exact name comes first, and then names that are alike, from sources of higher precedence. */
    @Override
    public LockSettings named(String declaredName) {
        LockSettings found = locks.getOrDefault(declaredName, LockSettings.NONE);
        for (Map.Entry<String, LockSettings> entry : locks.entrySet()) {
            if (isSame(entry.getKey(), declaredName)) {
                found = found.or(entry.getValue());
            }
        }
        return found;
    }

    /** Returns whether a name is equal, or equal without case and punctuation, as in environment variables. */
    static boolean isSame(String configuredName, String declaredName) {
        return configuredName.equals(declaredName) || uniform(configuredName).equals(uniform(declaredName));
    }

    static String uniform(String name) {
        StringBuilder letters = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            if (Character.isLetterOrDigit(name.charAt(i))) {
                letters.append(name.charAt(i));
            }
        }
        // A name that consists only of punctuation matches only itself.
        return letters.isEmpty() ? name : letters.toString().toLowerCase(Locale.ROOT);
    }

    static String propertyOf(String lock) {
        boolean plain = lock.chars().allMatch(c -> Character.isLetterOrDigit(c) || c == '-');
        return PREFIX + ".locks" + (plain ? "." + lock : "[" + lock + "]");
    }

    /** Refuses values that cannot work. Spring Boot would hide the reason if binding itself refused them. */
    LockProperties checked() {
        String prefix = PREFIX + ".";
        checkModule(prefix + "fence-table", fenceTable != null);
        checkModule(prefix + "fence-data-sources", !fenceDataSources.isEmpty());
        withoutPlaceholder(prefix + "key-prefix", keyPrefix);
        withoutPlaceholder(prefix + "client-name", clientName);
        within(prefix + "watchdog-timeout", watchdogTimeout, AcquireOptions.MIN_LEASE, AcquireOptions.MAX_LEASE);
        atLeast(prefix + "shutdown-grace", shutdownGrace, Duration.ZERO);
        Duration least = watchdogTimeout.plus(watchdogTimeout.dividedBy(2));
        if (!failoverGrace.isZero() && failoverGrace.compareTo(least) < 0) {
            throw refused(
                    prefix + "failover-grace",
                    failoverGrace,
                    "it must be 0, or at least " + LogText.time(least)
                            + ", one and a half times holdfast.watchdog-timeout, was " + LogText.time(failoverGrace));
        }
        within(prefix + "failover-grace", failoverGrace, Duration.ZERO, AcquireOptions.MAX_LEASE);
        if (minReplicas < 0) {
            throw refused(prefix + "min-replicas", minReplicas, "it must not be negative");
        }
        check(prefix, defaults());
        locks.forEach((name, settings) -> check(propertyOf(name) + ".", settings));
        return this;
    }

    /** Refuses a setting of a module that not every application has. Without the module, nothing would be fenced. */
    private static void checkModule(String setting, boolean isSet) {
        if (isSet && !ClassUtils.isPresent(FENCING, LockProperties.class.getClassLoader())) {
            throw new LockStartupException(
                    setting + " is a setting of lock-fencing, which this application does not have.",
                    "Add the dependency dev.holdfast:lock-fencing, or delete the setting.",
                    null);
        }
    }

    private static void check(String prefix, LockSettings settings) {
        atLeast(prefix + "wait-time", settings.waitTime(), Duration.ZERO);
        within(prefix + "lease-time", settings.leaseTime(), AcquireOptions.MIN_LEASE, AcquireOptions.MAX_LEASE);
        within(prefix + "min-hold", settings.minHold(), Duration.ZERO, AcquireOptions.MAX_LEASE);
        atLeast(prefix + "max-hold", settings.maxHold(), AcquireOptions.MIN_LEASE);
        notLongerThanMaxHold(prefix, "min-hold", settings.minHold(), settings.maxHold());
        notLongerThanMaxHold(prefix, "lease-time", settings.leaseTime(), settings.maxHold());
    }

    void applyTo(RedisLockClientBuilder builder) {
        builder.keyPrefix(keyPrefix)
                .watchdogTimeout(watchdogTimeout)
                .minReplicas(minReplicas)
                .failoverGrace(failoverGrace);
        if (waitTime != null) {
            builder.defaultWait(waitTime);
        }
        try {
            if (clientName != null) {
                builder.clientName(clientName);
            }
        } catch (IllegalArgumentException e) {
            throw refused(PREFIX + ".client-name", clientName, "it cannot be the name of a client. " + e.getMessage());
        }
    }

    private static void withoutPlaceholder(String name, @Nullable String value) {
        if (value != null && value.contains("${")) {
            String reason = "it contains a placeholder that is not defined. Define the property, or add a default value"
                    + " as in ${spring.application.name:app}";
            throw refused(name, value, reason);
        }
    }

    private static void notLongerThanMaxHold(
            String prefix, String what, @Nullable Duration length, @Nullable Duration maxHold) {
        if (length != null && maxHold != null && length.compareTo(maxHold) > 0) {
            String reason = "it is longer than " + prefix + "max-hold, which is " + LogText.time(maxHold);
            throw refused(prefix + what, length, reason + ". Shorten the one or lengthen the other");
        }
    }

    private static void atLeast(String name, @Nullable Duration value, Duration bound) {
        if (value != null && value.compareTo(bound) < 0) {
            throw refused(name, value, "it must be at least " + LogText.time(bound) + ", was " + LogText.time(value));
        }
    }

    private static void within(String name, @Nullable Duration value, Duration least, Duration most) {
        atLeast(name, value, least);
        if (value != null && value.compareTo(most) > 0) {
            throw refused(name, value, "it must be at most " + LogText.time(most) + ", was " + LogText.time(value));
        }
    }

    static InvalidConfigurationPropertyValueException refused(String name, @Nullable Object value, String reason) {
        return new InvalidConfigurationPropertyValueException(name, value, reason);
    }
}
