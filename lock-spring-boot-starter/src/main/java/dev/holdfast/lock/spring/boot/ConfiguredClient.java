package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.connection.RedisSource;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.spring.LockClientCustomizer;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Opens a lock client as the properties, and after them the customizers, want it.
 *
 * @param properties what the configuration says
 * @param applicationName what the application is called; empty where nobody says
 * @param redis where the locks are
 * @param listeners hear of every lock
 * @param customizers have the last word
 */
record ConfiguredClient(
        LockProperties properties,
        String applicationName,
        Supplier<RedisSource> redis,
        ObjectProvider<LockListener> listeners,
        ObjectProvider<LockClientCustomizer> customizers)
        implements Supplier<LockClient> {

    private static final String ANY_NAME = "lock";

    @Override
    public LockClient get() {
        RedisLockClientBuilder builder = RedisLockClient.builder(redis.get())
                .keyPrefix(properties.keyPrefix())
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
        customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
        LockClient client = builder.build();
        try {
            client.lock(ANY_NAME);
        } catch (IllegalArgumentException e) {
            client.close();
            throw PropertyChecks.refused(
                    LockProperties.PREFIX + ".key-prefix",
                    properties.keyPrefix(),
                    "with it no lock can be named. " + e.getMessage());
        }
        return client;
    }

    private static void name(RedisLockClientBuilder builder, String clientName) {
        try {
            builder.clientName(clientName);
        } catch (IllegalArgumentException e) {
            throw PropertyChecks.refused(
                    LockProperties.PREFIX + ".client-name",
                    clientName,
                    "no client can be called so. " + e.getMessage());
        }
    }
}
