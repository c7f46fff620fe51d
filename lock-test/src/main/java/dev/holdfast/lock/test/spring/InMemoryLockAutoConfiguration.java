package dev.holdfast.lock.test.spring;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.LockClientCustomizer;
import dev.holdfast.lock.spring.boot.LockAutoConfiguration;
import dev.holdfast.lock.test.InMemoryLockClient;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for tests: an {@link InMemoryLockClient} with the application's settings takes the place of the client on Redis. An application
 * that defines its own {@link LockClient} keeps it. {@code holdfast.test.in-memory=false} switches this off.
 */
@AutoConfiguration(before = LockAutoConfiguration.class)
@ConditionalOnProperty(name = InMemoryLockAutoConfiguration.SWITCH, matchIfMissing = true)
@ConditionalOnMissingBean(LockClient.class)
public final class InMemoryLockAutoConfiguration {

    static final String SWITCH = "holdfast.test.in-memory";

    @Bean(destroyMethod = "close")
    InMemoryLockClient holdfastLockClient(ObjectProvider<LockClientCustomizer> customizers) {
        return InMemoryLockClient.create(
                builder -> customizers.orderedStream().forEach(customizer -> customizer.customize(builder)));
    }
}
