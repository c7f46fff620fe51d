package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.spring.LockClientCustomizer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;

/**
 * Brings the properties and the listeners into a lock client. The first of all customizers, so that the application's have the last word. An application
 * that builds a client itself calls it as it calls the others.
 *
 * @param applicationName the application's name; empty where it has none
 */
record PropertiesCustomizer(LockProperties properties, String applicationName, ObjectProvider<LockListener> listeners)
        implements LockClientCustomizer, Ordered {

    PropertiesCustomizer {
        PropertyChecks.check(properties);
    }

    @Override
    public void customize(RedisLockClientBuilder builder) {
        builder.keyPrefix(properties.keyPrefix())
                .watchdogTimeout(properties.watchdogTimeout())
                .pollInterval(properties.pollInterval())
                .minReplicas(properties.minReplicas())
                .recordAcquisitionSites(properties.recordAcquisitionSites())
                .applicationName(applicationName);
        if (properties.waitTime() != null) {
            builder.defaultWait(properties.waitTime());
        }
        if (properties.longHoldThreshold() != null) {
            builder.longHoldThreshold(properties.longHoldThreshold());
        }
        if (properties.clientName() != null) {
            name(builder, properties.clientName());
        }
        listeners.orderedStream().forEach(builder::listener);
    }

    private static void name(RedisLockClientBuilder builder, String clientName) {
        try {
            builder.clientName(clientName);
        } catch (IllegalArgumentException e) {
            throw PropertyChecks.refused(
                    LockProperties.PREFIX + ".client-name",
                    clientName,
                    "it cannot be the name of a client. " + e.getMessage());
        }
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }
}
