package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.spring.LockClientCustomizer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;

/** The first of all customizers. It is not a lambda, because the check of beans whose class is not known would report it. */
record PropertiesCustomizer(
        LockProperties properties,
        String applicationName,
        ObjectProvider<LockListener> listeners,
        ObjectProvider<LockClient> client)
        implements LockClientCustomizer, Ordered {
    @Override
    public void customize(RedisLockClientBuilder builder) {
        properties.applyTo(builder);
        builder.applicationName(applicationName);
        listeners.orderedStream().forEach(builder::listener);
        if (EventLog.isOn()) {
            builder.listener(new EventLog(client));
        }
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }
}
