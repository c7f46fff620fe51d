package dev.holdfast.lock.spring.autoconfigure;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.connection.RedisSource;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.spring.client.LockClientCustomizer;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;

/** Opens a lock client as the properties, and after them the customizers, want it. */
record ConfiguredClient(
        LockProperties properties,
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
                .minReplicas(properties.minReplicas());
        if (properties.waitTime() != null) {
            builder.defaultWait(properties.waitTime());
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
}
